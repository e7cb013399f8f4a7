// An open file or directory. Everything below a directory is opened from its handle, never by path: a cgroup that was removed
// and made again under the same name cannot be confused with the one that is open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamp::agent {

class Handle {
 public:
  Handle() = default;
  explicit Handle(int fd) : fd_(fd) {}
  Handle(Handle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  bool open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  void close();

 private:
  int fd_ = -1;
};

// Not open where it fails. Symbolic links are followed in `path`, and nowhere else.
Handle open_directory(const std::string& path);
Handle open_directory_at(const Handle& directory, const char* name);
Handle open_file_at(const Handle& directory, const char* name);

// From its beginning, in one read: the kernel makes the text of such a file anew each time. Nothing if that fails, or if there is
// more than the buffer takes. Allocates nothing.
std::optional<std::string_view> read_text(const Handle& file, std::span<char> buffer);
// The same for a file that is not kept open.
std::optional<std::string_view> read_text_at(const Handle& directory, const char* name,
                                             std::span<char> buffer);

// Identity: the inode's number. 0 where it is not known.
std::uint64_t inode_of(const Handle& handle);
// Is it the kernel's cgroup file system (either version), and not a copy of its files?
bool is_cgroup_file_system(const Handle& directory);

// The names of the directories in it, sorted.
std::vector<std::string> directories_in(const Handle& directory);

}  // namespace tamp::agent
