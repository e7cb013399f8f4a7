#include "explain/style.h"

namespace tamp::explain {
namespace {

std::string_view escape(Ink ink) {
  switch (ink) {
    case Ink::Plain:
      return "";
    case Ink::Bold:
      return "\x1b[1m";
    case Ink::Dim:
      return "\x1b[2m";
    case Ink::Green:
      return "\x1b[32m";
    case Ink::Red:
      return "\x1b[31m";
    case Ink::Yellow:
      return "\x1b[33m";
    case Ink::Cyan:
      return "\x1b[36m";
  }
  return "";
}

}  // namespace

std::string paint(const Style& style, Ink ink, std::string_view text) {
  if (!style.color || ink == Ink::Plain || text.empty()) return std::string(text);
  std::string out(escape(ink));
  out += text;
  out += "\x1b[0m";
  return out;
}

}  // namespace tamp::explain
