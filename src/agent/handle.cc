#include "agent/handle.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace tamp::agent {

void Handle::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Handle open_directory(const std::string& path) {
  return Handle(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

Handle open_directory_at(const Handle& directory, const char* name) {
  return Handle(::openat(directory.fd(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Handle open_file_at(const Handle& directory, const char* name) {
  // A pipe in place of a file must not make the agent wait for a writer.
  return Handle(::openat(directory.fd(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

std::optional<std::string_view> read_text(const Handle& file, std::span<char> buffer) {
  const ssize_t size = ::pread(file.fd(), buffer.data(), buffer.size(), 0);
  if (size < 0 || static_cast<std::size_t>(size) == buffer.size()) return std::nullopt;
  return std::string_view(buffer.data(), static_cast<std::size_t>(size));
}

std::optional<std::string_view> read_text_at(const Handle& directory, const char* name,
                                             std::span<char> buffer) {
  const Handle file = open_file_at(directory, name);
  return file.open() ? read_text(file, buffer) : std::nullopt;
}

std::uint64_t inode_of(const Handle& handle) {
  struct stat status{};
  return ::fstat(handle.fd(), &status) == 0 ? status.st_ino : 0;
}

bool is_cgroup_file_system(const Handle& directory) {
  struct statfs status{};
  if (::fstatfs(directory.fd(), &status) != 0) return false;
  return status.f_type == CGROUP2_SUPER_MAGIC || status.f_type == CGROUP_SUPER_MAGIC;
}

std::vector<std::string> directories_in(const Handle& directory) {
  std::vector<std::string> names;
  // A stream owns its descriptor and moves its position, so it gets one of its own.
  const int fd = ::openat(directory.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const auto close_stream = [](DIR* stream) { ::closedir(stream); };
  const std::unique_ptr<DIR, decltype(close_stream)> stream(fd >= 0 ? ::fdopendir(fd) : nullptr,
                                                            close_stream);
  if (!stream) {
    if (fd >= 0) ::close(fd);
    return names;
  }
  while (const dirent* entry =
             ::readdir(stream.get())) {  // NOLINT(concurrency-mt-unsafe): a stream of our own
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    bool is_directory = entry->d_type == DT_DIR;
    if (entry->d_type == DT_UNKNOWN) {
      struct stat status{};
      is_directory =
          ::fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
    }
    if (is_directory) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tamp::agent
