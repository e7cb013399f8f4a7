// Laying out text in columns: widths, wrapping and tables. Widths are counted in characters of UTF-8; every character
// that Tamp prints is one column wide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "explain/style.h"

namespace tamp::explain {

std::size_t display_width(std::string_view text);

// Breaks at spaces so that no line is wider than `width`; a word that is wider stands alone and sticks out: nothing is
// ever cut off. At least one line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

// What foreign names may not do to a terminal: control characters become "?".
std::string printable(std::string_view text);

// `filled` of `cells` blocks, for a share between 0 and 1; anything above 0 shows at least a sliver.
std::string bar(double share, std::size_t cells);

struct Cell {
  std::string text;
  Ink ink = Ink::Plain;
};

enum class Align : std::uint8_t { Left, Right };

// Rows of cells, each column as wide as its widest cell, two spaces apart. The last column takes what is left of the
// page and wraps.
class Table {
 public:
  Table(std::vector<Align> columns, std::size_t indent) : columns_(std::move(columns)), indent_(indent) {}

  void header(std::vector<std::string> names);
  // REQUIRES: as many cells as columns.
  void row(std::vector<Cell> cells);
  // Text on lines of its own below the last row, indented further.
  void note(std::string text, Ink ink);
  std::string render(const Style& style) const;

 private:
  struct Line {
    std::vector<Cell> cells;  // empty: a note
    Cell note;
  };
  std::vector<Align> columns_;
  std::size_t indent_;
  std::vector<Line> lines_;
};

}  // namespace tamp::explain
