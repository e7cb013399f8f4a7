// What happened in the world, in order: what the demo tells as it happens, and what must be the same, byte for byte, for the
// same seed and scenario.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time.h"

namespace tamp::world {

struct StoryLine {
  Time at;
  std::string_view who;   // a literal: "scheduler", "kubelet", "karpenter", "director"
  std::string_view what;  // a literal, one word: "Bound", "Started", "Evicted", "NodeLaunched"
  std::string object;     // "pod default/web-1", "node ip-10-0-1-21"
  std::string text;       // the rest of the sentence; may be empty
};

class Story {
 public:
  void tell(Time at, std::string_view who, std::string_view what, std::string object, std::string text = {}) {
    lines_.push_back({at, who, what, std::move(object), std::move(text)});
  }
  const std::vector<StoryLine>& lines() const { return lines_; }
  void clear() { lines_.clear(); }

 private:
  std::vector<StoryLine> lines_;
};

// "2026-11-15T00:00:01.250Z scheduler Bound pod default/web-1 to node-3"
std::string to_text(const StoryLine& line);

}  // namespace tamp::world
