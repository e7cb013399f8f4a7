#include "e2e/program.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "e2e/plane.h"

namespace tamp::e2e {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

}  // namespace

std::string tamp_program() { return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "tamp"; }

int free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(fd);
  return ntohs(address.sin_port);
}

Program::Program(const std::string& name, const std::string& kubeconfig, std::vector<std::string> flags)
    : log_path_(environment("TAMP_E2E_DIRECTORY") + "/" + name + ".log"), port_(free_port()) {
  std::vector<std::string> command = {tamp_program(),      "controller",
                                      "--kubeconfig",      kubeconfig,
                                      "--log-format",      "json",
                                      "--pod-name",        name,
                                      "--metrics-address", "127.0.0.1:" + std::to_string(port_)};
  command.insert(command.end(), flags.begin(), flags.end());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = ::open(log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

Program::~Program() {
  if (!running()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Program::signal(int number) {
  if (pid_ > 0) ::kill(pid_, number);  // -1 would be everybody
}

bool Program::running() {
  if (pid_ < 0) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  pid_ = -1;
  return false;
}

int Program::wait() {
  wait_until(Duration::seconds(12), [this] { return !running(); });
  return status_;
}

std::string Program::log() const {
  std::ifstream file(log_path_);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Program::fetch(const std::string& path) const {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{2, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const sockaddr_in address = loopback(port_);
  std::string text;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    if (::write(fd, request.data(), request.size()) == static_cast<ssize_t>(request.size())) {
      std::array<char, 65536> buffer{};
      for (ssize_t n = 0; (n = ::read(fd, buffer.data(), buffer.size())) > 0;)
        text.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }
  ::close(fd);
  return text;
}

bool Program::ready() const { return fetch("/readyz").starts_with("HTTP/1.1 200"); }

double Program::metric(const std::string& series) const {
  std::istringstream lines(metrics());
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(series)) continue;
    const std::size_t space = line.rfind(' ');
    double value = -1;
    const char* end = line.data() + line.size() - (line.ends_with('\r') ? 1 : 0);
    if (std::from_chars(line.data() + space + 1, end, value).ec == std::errc()) return value;
  }
  return -1;
}

long Program::resident_kib() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  return -1;
}

long Program::open_files() const {
  std::error_code error;
  long n = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/fd", error))
    ++n;
  return n;
}

}  // namespace tamp::e2e
