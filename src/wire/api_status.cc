#include "wire/api_status.h"

#include <algorithm>

#include "wire/text_at.h"

namespace tamp::wire {
namespace {

constexpr std::size_t kLongestLine = 200;

int small_number_at(Value parent, std::string_view key) {
  const std::int64_t number = parent.get(key).integer().value_or(0);
  return static_cast<int>(std::clamp<std::int64_t>(number, 0, 1'000'000));
}

// For people, so foreign control characters go, and a cut does not leave half a character behind.
std::string first_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n' && !line.empty()) break;
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) continue;
    if (c == ' ' && line.empty()) continue;
    if (line.size() == kLongestLine) {
      while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xC0) == 0x80) line.pop_back();
      if (!line.empty() && (static_cast<unsigned char>(line.back()) & 0x80) != 0) line.pop_back();
      break;
    }
    line += c;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

bool ApiStatus::has_cause(std::string_view type) const {
  return std::any_of(causes.begin(), causes.end(),
                     [&](const StatusCause& cause) { return cause.type == type; });
}

ApiStatus read_api_status(Value status) {
  ApiStatus out;
  if (text_at(status, "kind") != "Status") return out;
  out.failure = text_at(status, "status") == "Failure";
  out.code = small_number_at(status, "code");
  out.reason = text_at(status, "reason");
  out.message = text_at(status, "message");
  const Value details = status.get("details");
  out.kind = text_at(details, "kind");
  out.name = text_at(details, "name");
  out.retry_after_seconds = small_number_at(details, "retryAfterSeconds");
  for (const Value cause : details.get("causes").elements())
    out.causes.push_back({text_at(cause, "reason"), text_at(cause, "message"), text_at(cause, "field")});
  return out;
}

ApiStatus read_api_status(const std::string& bytes) {
  ApiStatus out;
  if (const auto json = Json::parse(bytes)) {
    const Value root = json->root();
    if (root.get("kind").string() == "Status") return read_api_status(root);
  }
  out.message = first_line(bytes);
  return out;
}

}  // namespace tamp::wire
