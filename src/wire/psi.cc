#include "wire/psi.h"

#include "wire/kernel_text.h"

namespace tamp::wire {
namespace {

// "12.34" as 1234. The kernel prints exactly two places.
std::optional<std::uint32_t> centi(std::string_view text) {
  const std::string_view whole = cut_front(text, '.');
  const auto percent = kernel_number(whole), hundredths = kernel_number(text);
  if (!percent || !hundredths || text.size() != 2 || *percent > 100) return std::nullopt;
  return static_cast<std::uint32_t>(*percent * 100 + *hundredths);
}

// What follows "some " or "full ".
std::optional<PressureLine> parse_line(std::string_view line) {
  std::optional<std::uint64_t> total;
  std::optional<std::uint32_t> avg10;
  while (!line.empty()) {
    std::string_view value = cut_front(line, ' ');
    const std::string_view key = cut_front(value, '=');
    if (key == "total") {
      if (!(total = kernel_number(value))) return std::nullopt;
    } else if (!key.starts_with("avg")) {
      return std::nullopt;
    } else if (const auto average = centi(value); !average) {
      return std::nullopt;
    } else if (key == "avg10") {
      avg10 = average;
    }
  }
  if (!total || !avg10) return std::nullopt;
  return PressureLine{*total, *avg10};
}

}  // namespace

std::optional<PressureFile> parse_pressure(std::string_view text) {
  PressureFile file;
  while (!text.empty()) {
    std::string_view line = cut_front(text, '\n');
    const std::string_view kind = cut_front(line, ' ');
    std::optional<PressureLine>* place = kind == "some" ? &file.some : kind == "full" ? &file.full : nullptr;
    if (place == nullptr || place->has_value()) return std::nullopt;
    *place = parse_line(line);
    if (!place->has_value()) return std::nullopt;
  }
  if (!file.some && !file.full) return std::nullopt;
  return file;
}

}  // namespace tamp::wire
