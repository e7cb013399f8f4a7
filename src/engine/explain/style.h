// How text for people is drawn: colours and the width of the page. The caller decides both; this room never asks a
// terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tamp::explain {

struct Style {
  bool color = false;
  std::size_t width = 100;  // columns
};

enum class Ink : std::uint8_t { Plain, Bold, Dim, Green, Red, Yellow, Cyan };

// The text between escape sequences; unchanged without colour or for Plain.
std::string paint(const Style& style, Ink ink, std::string_view text);

}  // namespace tamp::explain
