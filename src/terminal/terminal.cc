#include "terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace tamp::terminal {
namespace {

constexpr std::size_t kNarrowest = 60, kWidest = 140, kPiped = 120;

std::size_t page_width(bool terminal, const Environment& environment) {
  if (const auto columns = environment("COLUMNS")) {
    std::size_t width = 0;
    const char* end = columns->data() + columns->size();
    if (std::from_chars(columns->data(), end, width).ptr == end && width > 0)
      return std::clamp(width, kNarrowest, kWidest);
  }
  winsize size{};
  if (terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::clamp<std::size_t>(size.ws_col, kNarrowest, kWidest);
  return kPiped;
}

}  // namespace

explain::Style output_style(ColorWish wish, const Environment& environment) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const auto no_color = environment("NO_COLOR");
  const bool welcome = terminal && (!no_color || no_color->empty()) && environment("TERM") != "dumb";
  return {.color = wish == ColorWish::Always || (wish == ColorWish::Auto && welcome),
          .width = page_width(terminal, environment)};
}

}  // namespace tamp::terminal
