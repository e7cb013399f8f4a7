// The note that a run leaves on a node or NodeClaim, annotation temper.codes/run: which runs hold it, and what Tamp put there that
// was not there before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tamp::wire {

struct RunNote {
  std::vector<std::string> runs;  // names, sorted, each once
  std::vector<std::string>
      added;  // annotations by key; "cordon", "taint", "no-load-balancer"; sorted, each once
  bool operator==(const RunNote&) const = default;
};

// Tolerant: a note that somebody spoilt is no note. One that names no run holds nothing.
std::optional<RunNote> read_run_note(const std::string& text);
// REQUIRES: sorted, each once. Equal notes give equal texts.
std::string write_run_note(const RunNote& note);

// What the note claims, as NodeMarks::own has it.
std::uint8_t own_marks(const RunNote& note);

}  // namespace tamp::wire
