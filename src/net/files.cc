#include "net/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace tamp::net {
namespace {

std::string why(int error) { return std::generic_category().message(error); }

Result<std::string> read_all(int fd, std::size_t largest) {
  std::string bytes;
  std::array<char, std::size_t{1} << 14> chunk;
  for (;;) {
    const ssize_t got = ::read(fd, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{"cannot read: " + why(errno)};
    if (got == 0) return bytes;
    bytes.append(chunk.data(), static_cast<std::size_t>(got));
    if (bytes.size() > largest) return Error{"more than " + std::to_string(largest) + " bytes"};
  }
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t largest) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Error{path + ": cannot open: " + why(errno)};
  auto bytes = read_all(fd, largest);
  ::close(fd);
  if (!bytes) return std::move(bytes).error().with(path);
  return bytes;
}

bool file_exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

}  // namespace tamp::net
