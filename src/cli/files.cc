#include "cli/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace tamp::cli {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

std::string why(int error) { return std::generic_category().message(error); }

Result<std::string> read_all(int fd, std::size_t expected, std::size_t largest) {
  std::string bytes;
  bytes.reserve(expected + 1);
  while (true) {
    const std::size_t had = bytes.size();
    bytes.resize(had + std::max(kChunk, expected > had ? expected - had : 0));
    const ssize_t got = ::read(fd, bytes.data() + had, bytes.size() - had);
    if (got < 0) {
      if (errno == EINTR) {
        bytes.resize(had);
        continue;
      }
      return Error{"cannot read: " + why(errno)};
    }
    bytes.resize(had + static_cast<std::size_t>(got));
    if (got == 0) return bytes;
    if (bytes.size() > largest)
      return Error{"more than " + std::to_string(largest >> 20) +
                   " MiB, the most that Tamp reads from one file"};
  }
}

Status write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0) {
      if (errno == EINTR) continue;
      return Error{why(errno)};
    }
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return success();
}

}  // namespace

Result<wire::Input> read_input(const std::string& path, std::size_t largest) {
  if (path == "-") {
    auto bytes = read_all(STDIN_FILENO, 0, largest);
    if (!bytes.ok()) return std::move(bytes).error().with("<stdin>");
    return wire::Input{"<stdin>", std::move(bytes).value()};
  }
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{path + ": cannot open: " + why(errno)};
  struct stat info{};
  std::size_t expected = 0;
  Result<std::string> bytes = std::string();
  if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    bytes = Error{"is a directory"};
  } else {
    if (S_ISREG(info.st_mode) && info.st_size > 0)
      expected = std::min(static_cast<std::size_t>(info.st_size), largest);
    bytes = read_all(fd, expected, largest);
  }
  ::close(fd);
  if (!bytes.ok()) return std::move(bytes).error().with(path);
  return wire::Input{path, std::move(bytes).value()};
}

Status write_output(std::string_view text) {
  auto status = write_all(STDOUT_FILENO, text);
  if (!status.ok()) return std::move(status).error().with("cannot write standard output");
  return status;
}

Status write_file(const std::string& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return Error{path + ": cannot open: " + why(errno)};
  auto status = write_all(fd, text);
  // The last error of a write may only show when the file is closed.
  if (::close(fd) != 0 && status.ok()) status = Error{why(errno)};
  if (!status.ok()) return std::move(status).error().with(path);
  return status;
}

void write_error(std::string_view text) { (void)write_all(STDERR_FILENO, text).ok(); }

}  // namespace tamp::cli
