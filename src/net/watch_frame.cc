#include "net/watch_frame.h"

namespace tamp::net {

void WatchFrame::feed(std::string_view bytes) {
  if (too_long_) return;
  // What was handed out is dropped only here, once for each piece, so that many small events in one piece cost one move.
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  buffer_ += bytes;
}

std::optional<std::string> WatchFrame::next() {
  while (!too_long_) {
    const std::size_t end = buffer_.find('\n', scanned_);
    if (end == std::string::npos) {
      scanned_ = buffer_.size();
      too_long_ = scanned_ - begin_ > longest_;
      return std::nullopt;
    }
    std::string_view line = std::string_view(buffer_).substr(begin_, end - begin_);
    begin_ = scanned_ = end + 1;
    if (line.size() > longest_) {
      too_long_ = true;
      return std::nullopt;
    }
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    std::string out;
    out.reserve(line.size() + 64);
    out = line;
    return out;
  }
  return std::nullopt;
}

void WatchFrame::clear() {
  // A long line must not keep its memory for the life of the program.
  buffer_ = std::string();
  begin_ = scanned_ = 0;
  too_long_ = false;
}

}  // namespace tamp::net
