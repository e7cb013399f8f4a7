#include "explain/layout.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tamp::explain {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNoteIndent = 4;
constexpr std::size_t kNarrowest = 20;  // a column that wraps is never narrower

std::string spaces(std::size_t n) { return std::string(n, ' '); }

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    const std::size_t word_width = display_width(word);
    if (used > 0 && used + 1 + word_width > width) {
      lines.push_back(std::move(line));
      line.clear();
      used = 0;
    }
    if (used > 0) {
      line += ' ';
      ++used;
    }
    line += word;
    used += word_width;
  }
  lines.push_back(std::move(line));
  return lines;
}

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20U || c == 0x7f) c = '?';
  return out;
}

std::string bar(double share, std::size_t cells) {
  static constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clamped = std::clamp(share, 0.0, 1.0);
  auto eighths = static_cast<std::size_t>(std::lround(clamped * static_cast<double>(cells) * 8.0));
  if (eighths == 0 && clamped > 0) eighths = 1;
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  out += kEighths[eighths % 8];
  return out;
}

void Table::header(std::vector<std::string> names) {
  std::vector<Cell> cells;
  cells.reserve(names.size());
  for (auto& name : names) cells.push_back({std::move(name), Ink::Dim});
  row(std::move(cells));
}

void Table::row(std::vector<Cell> cells) {
  assert(cells.size() == columns_.size());
  lines_.push_back({std::move(cells), {}});
}

void Table::note(std::string text, Ink ink) { lines_.push_back({{}, {std::move(text), ink}}); }

std::string Table::render(const Style& style) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const Line& line : lines_)
    for (std::size_t i = 0; i < line.cells.size(); ++i)
      widths[i] = std::max(widths[i], display_width(line.cells[i].text));

  std::size_t before_last = indent_;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) before_last += widths[i] + kGap;
  const std::size_t last_width =
      std::max(kNarrowest, style.width > before_last ? style.width - before_last : 0);
  const std::size_t note_indent = indent_ + kNoteIndent;
  const std::size_t note_width =
      std::max(kNarrowest, style.width > note_indent ? style.width - note_indent : 0);

  std::string out;
  for (const Line& line : lines_) {
    if (line.cells.empty()) {
      for (const std::string& part : wrap(line.note.text, note_width))
        out += spaces(note_indent) + paint(style, line.note.ink, part) + '\n';
      continue;
    }
    std::string pending = spaces(indent_);  // written only before text, so that no line ends in spaces
    for (std::size_t i = 0; i + 1 < line.cells.size(); ++i) {
      const Cell& cell = line.cells[i];
      const std::string pad = spaces(widths[i] - display_width(cell.text));
      if (columns_[i] == Align::Right) pending += pad;
      if (!cell.text.empty()) {
        out += pending + paint(style, cell.ink, cell.text);
        pending.clear();
      }
      if (columns_[i] == Align::Left) pending += pad;
      pending += spaces(kGap);
    }
    const Cell& last = line.cells.back();
    bool first = true;
    for (const std::string& part : wrap(last.text, last_width)) {
      if (!first) {
        out += '\n';
        pending = spaces(before_last);
      }
      first = false;
      if (part.empty()) continue;
      if (columns_.back() == Align::Right && widths.back() <= last_width)
        pending += spaces(widths.back() - display_width(part));
      out += pending + paint(style, last.ink, part);
    }
    out += '\n';
  }
  return out;
}

}  // namespace tamp::explain
