// Cuts a watch's bytes into lines, one event each. Blank lines are skipped. A line longer than the cap is a broken
// stream: no object is that large, and the memory of the reader must have a bound.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tamp::net {

class WatchFrame {
 public:
  static constexpr std::size_t kLongestLine = 16 * 1024 * 1024;

  explicit WatchFrame(std::size_t longest = kLongestLine) : longest_(longest) {}

  void feed(std::string_view bytes);
  // The next complete line, without its end. Has 64 bytes of capacity to spare, so that it is parsed in place.
  std::optional<std::string> next();
  // A line passed the cap. Nothing comes any more.
  bool too_long() const { return too_long_; }
  void clear();

 private:
  std::size_t longest_;
  std::string buffer_;
  std::size_t begin_ = 0;    // of the first line that was not handed out
  std::size_t scanned_ = 0;  // no line ends between begin_ and here
  bool too_long_ = false;
};

}  // namespace tamp::net
