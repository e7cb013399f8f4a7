// Regular expressions as Go's regexp package and RE2 understand them, matched in time linear in the text: without
// backreferences and lookaround, unanchored unless the expression says so. What is not understood does not compile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace tamp::world::api {

class Pattern {
 public:
  static Result<Pattern> compile(std::string_view expression);
  // Somewhere in the text. Text that is not UTF-8 is read byte by byte.
  bool matches(std::string_view text) const;
  // The first match, and of those that begin there the one that Go's regexp finds.
  std::optional<std::string_view> find(std::string_view text) const;
  const std::string& text() const { return text_; }

 private:
  friend class PatternCompiler;
  enum class Op : std::uint8_t { Class, Split, Jump, Begin, End, WordBoundary, NotWordBoundary, Match };
  struct Range {
    std::uint32_t first, last;
  };
  struct Instruction {
    Op op{};
    std::uint32_t x = 0, y = 0;  // targets of Split and Jump; for Class the ranges [x, y)
  };
  std::optional<std::pair<std::size_t, std::size_t>> run(std::string_view text, bool any) const;

  std::string text_;
  std::vector<Instruction> program_;
  std::vector<Range> ranges_;
};

}  // namespace tamp::world::api
