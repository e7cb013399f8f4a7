#include "sim/engine/story.h"

#include <fmt/format.h>

namespace tamp::world {

std::string to_text(const StoryLine& line) {
  const CivilTime civil = to_civil(line.at);
  const std::int64_t millis = (line.at.ns - line.at.unix_seconds() * 1'000'000'000) / 1'000'000;
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z {} {} {}", civil.year, civil.month, civil.day,
                  civil.hour, civil.minute, civil.second, millis, line.who, line.what, line.object);
  if (!line.text.empty()) text += " " + line.text;
  return text;
}

}  // namespace tamp::world
