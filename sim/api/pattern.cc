// A recursive-descent compiler to a small instruction set, and a simulation of all its threads at once (Thompson's
// construction): no text makes it slow.
#include "sim/api/pattern.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tamp::world::api {
namespace {

constexpr std::uint32_t kLastRune = 0x10ffff;
constexpr std::size_t kMostInstructions = 20'000;
constexpr int kMostNesting = 100;
constexpr int kMostRepeats = 1000;  // Go's own limit

// The rune at the front; a byte that begins none counts as itself.
std::uint32_t take_rune(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  const std::size_t length = first < 0x80         ? 1
                             : (first >> 5) == 6  ? 2
                             : (first >> 4) == 14 ? 3
                             : (first >> 3) == 30 ? 4
                                                  : 1;
  if (length == 1 || length > text.size()) {
    text.remove_prefix(1);
    return first;
  }
  std::uint32_t rune = first & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      text.remove_prefix(1);
      return first;
    }
    rune = rune << 6 | (byte(i) & 0x3fu);
  }
  text.remove_prefix(length);
  return rune;
}

bool is_word(std::uint32_t rune) {
  return (rune >= '0' && rune <= '9') || (rune >= 'A' && rune <= 'Z') || (rune >= 'a' && rune <= 'z') ||
         rune == '_';
}

}  // namespace

class PatternCompiler {
 public:
  explicit PatternCompiler(std::string_view expression) : rest_(expression) { out_.text_ = expression; }

  Result<Pattern> compile() {
    // Unanchored: any prefix first.
    const std::uint32_t split = emit(Pattern::Op::Split);
    const std::uint32_t any = emit_class({{0, kLastRune}});
    (void)any;
    emit(Pattern::Op::Jump, split);
    out_.program_[split].x = here();
    out_.program_[split].y = split + 1;
    while (rest_.starts_with("(?")) {
      const std::size_t end = rest_.find(')');
      if (end == std::string_view::npos ||
          rest_.substr(0, end).find_first_of(":<P") != std::string_view::npos)
        break;
      if (!set_flags(rest_.substr(2, end - 2))) return fail("flags");
      rest_.remove_prefix(end + 1);
    }
    alternatives(0);
    if (!rest_.empty() && !problem_) problem_ = "an unexpected )";
    if (problem_) return fail(*problem_);
    emit(Pattern::Op::Match);
    return std::move(out_);
  }

 private:
  using Ranges = std::vector<Pattern::Range>;

  Error fail(const std::string& what) const {
    return Error{"the regular expression " + out_.text_ + " is not understood: " + what};
  }
  void refuse(std::string what) {
    if (!problem_) problem_ = std::move(what);
    rest_ = {};
  }

  bool set_flags(std::string_view flags) {
    for (char flag : flags) {
      if (flag == 'i')
        fold_ = true;
      else if (flag == 's')
        dot_takes_newline_ = true;
      else
        return false;
    }
    return true;
  }

  std::uint32_t here() const { return static_cast<std::uint32_t>(out_.program_.size()); }
  std::uint32_t emit(Pattern::Op op, std::uint32_t x = 0, std::uint32_t y = 0) {
    if (out_.program_.size() >= kMostInstructions) {
      refuse("too long");
      return 0;
    }
    out_.program_.push_back({op, x, y});
    return here() - 1;
  }
  std::uint32_t emit_class(Ranges ranges) {
    if (fold_) {
      for (std::size_t i = 0, n = ranges.size(); i < n; ++i) {
        for (std::uint32_t c = 'a'; c <= 'z'; ++c) {
          const std::uint32_t upper = c - 'a' + 'A';
          if (c >= ranges[i].first && c <= ranges[i].last) ranges.push_back({upper, upper});
          if (upper >= ranges[i].first && upper <= ranges[i].last) ranges.push_back({c, c});
        }
      }
    }
    const std::uint32_t first = static_cast<std::uint32_t>(out_.ranges_.size());
    out_.ranges_.insert(out_.ranges_.end(), ranges.begin(), ranges.end());
    return emit(Pattern::Op::Class, first, static_cast<std::uint32_t>(out_.ranges_.size()));
  }

  bool next_is(char c) const { return !rest_.empty() && rest_.front() == c; }
  bool take(char c) {
    if (!next_is(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Code that was emitted from `begin` on, moved behind one instruction that is put before it.
  void insert_before(std::uint32_t begin, Pattern::Instruction instruction) {
    if (out_.program_.size() >= kMostInstructions) {
      refuse("too long");
      return;
    }
    for (std::uint32_t i = begin; i < here(); ++i) shift(out_.program_[i], begin, 1);
    out_.program_.insert(out_.program_.begin() + begin, instruction);
  }
  static void shift(Pattern::Instruction& instruction, std::uint32_t from, std::uint32_t by) {
    if (instruction.op != Pattern::Op::Split && instruction.op != Pattern::Op::Jump) return;
    if (instruction.x >= from) instruction.x += by;
    if (instruction.op == Pattern::Op::Split && instruction.y >= from) instruction.y += by;
  }

  void alternatives(int depth) {
    if (depth > kMostNesting) return refuse("nested too deep");
    const std::uint32_t begin = here();
    sequence(depth);
    std::vector<std::uint32_t> ends;
    while (take('|')) {
      // begin: split over the first branch and what follows
      insert_before(begin, {Pattern::Op::Split, begin + 1, here() + 2});
      for (std::uint32_t& end : ends) ++end;
      ends.push_back(emit(Pattern::Op::Jump));
      const std::uint32_t branch = here();
      out_.program_[begin].y = branch;
      sequence(depth);
    }
    for (std::uint32_t end : ends) out_.program_[end].x = here();
  }

  void sequence(int depth) {
    while (!rest_.empty() && !next_is('|') && !next_is(')')) repeated(depth);
  }

  void repeated(int depth) {
    const std::uint32_t begin = here();
    if (!atom(depth)) return;
    int repeats = 0;
    while (!rest_.empty() && !problem_) {
      int least = 0, most = -1;
      if (take('*')) {
      } else if (take('+')) {
        least = 1;
      } else if (take('?')) {
        most = 1;
      } else if (!next_is('{') || !take_count(least, most)) {
        return;
      }
      if (++repeats > 1) return refuse("a repetition of a repetition");
      const bool reluctant = take('?');
      repeat(begin, least, most, reluctant);
    }
  }

  // {2}, {2,}, {2,5}; anything else in braces is text.
  bool take_count(int& least, int& most) {
    const std::size_t end = rest_.find('}');
    if (end == std::string_view::npos) return false;
    std::string_view inside = rest_.substr(1, end - 1);
    const std::size_t comma = inside.find(',');
    const auto number = [&](std::string_view digits) -> std::optional<int> {
      if (digits.empty() || digits.size() > 4) return {};
      int value = 0;
      for (char c : digits) {
        if (c < '0' || c > '9') return {};
        value = value * 10 + (c - '0');
      }
      return value;
    };
    const auto low = number(inside.substr(0, comma));
    if (!low) return false;
    least = most = *low;
    if (comma != std::string_view::npos) {
      most = -1;
      if (comma + 1 < inside.size()) {
        const auto high = number(inside.substr(comma + 1));
        if (!high) return false;
        most = *high;
      }
    }
    rest_.remove_prefix(end + 1);
    if (least > kMostRepeats || most > kMostRepeats || (most >= 0 && most < least))
      refuse("a bad repetition count");
    return true;
  }

  void append_copy(const std::vector<Pattern::Instruction>& code, std::uint32_t begin) {
    const std::uint32_t by = here() - begin;
    for (Pattern::Instruction instruction : code) {
      shift(instruction, begin, by);
      emit(instruction.op, instruction.x, instruction.y);
    }
  }

  // Of the two ways of a Split the first is preferred.
  void split_over(std::uint32_t split, std::uint32_t end, bool reluctant) {
    out_.program_[split].x = reluctant ? end : split + 1;
    out_.program_[split].y = reluctant ? split + 1 : end;
  }

  void repeat(std::uint32_t begin, int least, int most, bool reluctant) {
    if (problem_) return;
    const std::vector<Pattern::Instruction> code(out_.program_.begin() + begin, out_.program_.end());
    if (code.size() * static_cast<std::size_t>(std::max({least, most, 1})) > kMostInstructions)
      return refuse("too long");
    out_.program_.resize(begin);
    for (int i = 0; i < least; ++i) append_copy(code, begin);
    if (most < 0) {
      const std::uint32_t split = emit(Pattern::Op::Split);
      append_copy(code, begin);
      emit(Pattern::Op::Jump, split);
      split_over(split, here(), reluctant);
      return;
    }
    std::vector<std::uint32_t> splits;
    for (int i = least; i < most; ++i) {
      splits.push_back(emit(Pattern::Op::Split));
      append_copy(code, begin);
    }
    for (std::uint32_t split : splits) split_over(split, here(), reluctant);
  }

  bool atom(int depth) {
    if (take('(')) {
      if (take('?')) {
        if (take('P') || next_is('<')) {
          const std::size_t end = rest_.find('>');
          if (!next_is('<') || end == std::string_view::npos || rest_.starts_with("<=") ||
              rest_.starts_with("<!")) {
            refuse("a group that is not known");
            return false;
          }
          rest_.remove_prefix(end + 1);
        } else if (!take(':')) {
          refuse("a group that is not known");
          return false;
        }
      }
      alternatives(depth + 1);
      if (!take(')')) refuse("a ( without )");
      return true;
    }
    if (take('[')) {
      emit_class(bracket());
      return true;
    }
    if (take('.')) {
      emit_class(dot_takes_newline_ ? Ranges{{0, kLastRune}} : Ranges{{0, '\n' - 1}, {'\n' + 1, kLastRune}});
      return true;
    }
    if (take('^')) return emit(Pattern::Op::Begin), true;
    if (take('$')) return emit(Pattern::Op::End), true;
    if (next_is('*') || next_is('+') || next_is('?')) {
      refuse("a repetition of nothing");
      return false;
    }
    if (take('\\')) {
      escape();
      return true;
    }
    const std::uint32_t rune = take_rune(rest_);
    emit_class({{rune, rune}});
    return true;
  }

  static Ranges inverted(Ranges ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.last) < std::pair(b.first, b.last);
    });
    Ranges result;
    std::uint32_t next = 0;
    for (const Pattern::Range& range : ranges) {
      if (range.first > next) result.push_back({next, range.first - 1});
      next = std::max(next, range.last + 1);
    }
    if (next <= kLastRune) result.push_back({next, kLastRune});
    return result;
  }

  static std::optional<Ranges> named(char name) {
    const bool invert = name >= 'A' && name <= 'Z';
    Ranges ranges;
    switch (invert ? static_cast<char>(name - 'A' + 'a') : name) {
      case 'd':
        ranges = {{'0', '9'}};
        break;
      case 'w':
        ranges = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
        break;
      case 's':
        ranges = {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
        break;
      default:
        return {};
    }
    return invert ? inverted(std::move(ranges)) : ranges;
  }

  // What follows a backslash, as one rune.
  std::optional<std::uint32_t> escaped_rune() {
    if (rest_.empty()) return {};
    const char c = rest_.front();
    rest_.remove_prefix(1);
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'f':
        return '\f';
      case 'v':
        return '\v';
      case 'a':
        return '\a';
      default:
        break;
    }
    const bool letter_or_digit = is_word(static_cast<std::uint8_t>(c)) && c != '_';
    if (letter_or_digit || static_cast<std::uint8_t>(c) >= 0x80) return {};
    return static_cast<std::uint8_t>(c);
  }

  void escape() {
    if (rest_.empty()) return refuse("a \\ at the end");
    if (auto ranges = named(rest_.front())) {
      rest_.remove_prefix(1);
      emit_class(*std::move(ranges));
      return;
    }
    if (take('b')) return void(emit(Pattern::Op::WordBoundary));
    if (take('B')) return void(emit(Pattern::Op::NotWordBoundary));
    if (take('A')) return void(emit(Pattern::Op::Begin));
    if (take('z')) return void(emit(Pattern::Op::End));
    const auto rune = escaped_rune();
    if (!rune) return refuse("an escape that is not known");
    emit_class({{*rune, *rune}});
  }

  Ranges bracket() {
    const bool invert = take('^');
    Ranges ranges;
    bool first = true;
    while (first || !next_is(']')) {
      if (rest_.empty()) {
        refuse("a [ without ]");
        return {};
      }
      first = false;
      if (rest_.starts_with("[:")) {
        refuse("a named class of characters");
        return {};
      }
      if (rest_.size() > 1 && next_is('\\')) {
        if (auto known = named(rest_[1])) {
          rest_.remove_prefix(2);
          ranges.insert(ranges.end(), known->begin(), known->end());
          continue;
        }
      }
      const auto low = bracket_rune();
      if (!low) return {};
      std::uint32_t high = *low;
      if (rest_.size() > 1 && next_is('-') && rest_[1] != ']') {
        rest_.remove_prefix(1);
        const auto end = bracket_rune();
        if (!end) return {};
        high = *end;
      }
      if (high < *low) {
        refuse("a range that goes backwards");
        return {};
      }
      ranges.push_back({*low, high});
    }
    take(']');
    return invert ? inverted(std::move(ranges)) : ranges;
  }

  std::optional<std::uint32_t> bracket_rune() {
    if (take('\\')) {
      const auto rune = escaped_rune();
      if (!rune) refuse("an escape that is not known");
      return rune;
    }
    if (rest_.empty()) {
      refuse("a [ without ]");
      return {};
    }
    return take_rune(rest_);
  }

  std::string_view rest_;
  Pattern out_;
  bool fold_ = false, dot_takes_newline_ = false;
  std::optional<std::string> problem_;
};

Result<Pattern> Pattern::compile(std::string_view expression) {
  return PatternCompiler(expression).compile();
}

bool Pattern::matches(std::string_view text) const { return run(text, true).has_value(); }

std::optional<std::string_view> Pattern::find(std::string_view text) const {
  const auto found = run(text, false);
  if (!found) return {};
  return text.substr(found->first, found->second - found->first);
}

// Threads are in the order of preference, each with where it began. With `any` the first match will do.
std::optional<std::pair<std::size_t, std::size_t>> Pattern::run(std::string_view text, bool any) const {
  struct Thread {
    std::uint32_t at;
    std::size_t begin;
  };
  std::vector<Thread> now, next, stack;
  std::vector<std::uint8_t> seen(program_.size());
  std::optional<std::pair<std::size_t, std::size_t>> match;
  std::string_view rest = text;
  std::uint32_t before = 0;
  // Follows everything that takes no rune; whether a match was reached, after which less preferred threads are dropped.
  const auto add = [&](std::vector<Thread>& threads, Thread start) {
    const std::size_t place = text.size() - rest.size();
    stack.assign(1, start);
    while (!stack.empty()) {
      const Thread thread = stack.back();
      stack.pop_back();
      if (seen[thread.at]) continue;
      seen[thread.at] = 1;
      const Instruction& instruction = program_[thread.at];
      const auto go_on = [&](bool may) {
        if (may) stack.push_back({thread.at + 1, thread.begin});
      };
      const bool boundary = (place > 0 && is_word(before)) !=
                            (!rest.empty() && is_word(static_cast<std::uint8_t>(rest.front())));
      switch (instruction.op) {
        // The class of the prefix moves the beginning along.
        case Op::Class:
          threads.push_back(thread);
          break;
        case Op::Jump:
          stack.push_back({instruction.x, instruction.x == 0 ? place : thread.begin});
          break;
        case Op::Split:
          stack.push_back({instruction.y, thread.begin});
          stack.push_back({instruction.x, thread.begin});
          break;
        case Op::Begin:
          go_on(place == 0);
          break;
        case Op::End:
          go_on(rest.empty());
          break;
        case Op::WordBoundary:
          go_on(boundary);
          break;
        case Op::NotWordBoundary:
          go_on(!boundary);
          break;
        case Op::Match:
          match = std::pair(thread.begin, place);
          return true;
      }
    }
    return false;
  };
  add(now, {0, 0});
  while (!rest.empty() && !now.empty() && !(any && match)) {
    before = take_rune(rest);
    std::fill(seen.begin(), seen.end(), std::uint8_t{0});
    next.clear();
    for (const Thread& thread : now) {
      const Instruction& instruction = program_[thread.at];
      bool taken = false;
      for (std::uint32_t i = instruction.x; i < instruction.y && !taken; ++i) {
        taken = before >= ranges_[i].first && before <= ranges_[i].last;
      }
      if (taken && add(next, {thread.at + 1, thread.begin})) break;
    }
    std::swap(now, next);
  }
  return match;
}

}  // namespace tamp::world::api
