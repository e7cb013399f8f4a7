// `tamp controller` as a process of its own beside the control plane: started, frozen, killed, and asked for its metrics.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tamp::e2e {

class Program {
 public:
  // Flags besides --metrics-address, which is a free port of the loopback interface. Its log goes to
  // TAMP_E2E_DIRECTORY/NAME.log.
  Program(const std::string& name, const std::string& kubeconfig, std::vector<std::string> flags = {});
  ~Program();  // SIGKILL, if it still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void signal(int number);
  // After SIGTERM, or whatever made it end; -1 if it does not within ten seconds.
  int wait();
  bool running();
  std::string log() const;

  // The text of /metrics; empty if it does not answer.
  std::string metrics() const { return fetch("/metrics"); }
  // The value of a series, by the beginning of its line; -1 if there is none.
  double metric(const std::string& series) const;
  bool leading() const { return metric("tamp_leader") == 1; }
  bool ready() const;
  std::string fetch(const std::string& path) const;
  // Of /proc.
  long resident_kib() const;
  long open_files() const;

 private:
  std::string log_path_;
  int port_ = 0;
  pid_t pid_ = -1;
  int status_ = -1;
};

// The tamp program that stands beside this test.
std::string tamp_program();

// A TCP port that was free a moment ago.
int free_port();

}  // namespace tamp::e2e
