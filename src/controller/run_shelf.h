// The ConsolidationRuns as a watch shows them: who approved what, how far each run got, and what people say to it by its
// metadata. A run that cannot be read is kept with the reason, so that nobody takes it for absent.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "net/client.h"
#include "net/reflector.h"
#include "run/run.h"
#include "wire/tree.h"

namespace tamp::controller {

struct ShelvedRun {
  run::Run run;       // meaningless with an error; its name and uid are set in any case
  std::string error;  // why it cannot be read
  std::string resource_version;
  std::vector<std::string> finalizers;
  bool deleting = false;
};

// From one object as the API server prints it.
ShelvedRun read_shelved_run(const wire::Tree& object);

class RunShelf {
 public:
  using Runs = std::map<std::string, ShelvedRun>;  // by name

  RunShelf(net::Loop& loop, net::Client& client);
  RunShelf(const RunShelf&) = delete;
  RunShelf& operator=(const RunShelf&) = delete;

  void set_on_change(std::function<void()> on_change) { on_change_ = std::move(on_change); }
  void start() { reflector_.start(); }
  void stop() { reflector_.stop(); }

  // All runs were read at least once. A server that does not know the kind has none.
  bool synced() const { return reflector_.state().synced; }
  const Runs& runs() const { return runs_; }
  const net::Reflector& reflector() const { return reflector_; }

 private:
  Result<wire::PageInfo> page(const std::string& bytes);
  Result<wire::EventInfo> event(const std::string& line);

  Runs runs_, listed_;
  std::function<void()> on_change_;
  net::Reflector reflector_;
};

}  // namespace tamp::controller
