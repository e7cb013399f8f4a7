// What Tamp puts on a node, and the note by which it knows its own marks again.
//
// Every patch of a node carries the note with it, the annotation temper.codes/run: which runs hold the node, and what Tamp
// added that was not there before. Note and marks change in one write or not at all, so a crash leaves no doubt; and what
// people or others put there, before or meanwhile, is neither overwritten nor removed. The last run that lets go removes what was
// added, as far as it still has our value, and the note.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_patch.h"
#include "core/result.h"
#include "run/journal.h"
#include "run/mark_names.h"
#include "wire/run_note.h"
#include "wire/tree.h"

namespace tamp::documents {

using Note = wire::RunNote;
// Tolerant: a note that somebody spoilt is no note.
std::optional<Note> read_note(std::string_view text);
std::string write_note(const Note& note);

struct Edit {
  enum class Answer : std::uint8_t { Patch, NothingToDo, OtherObject };
  Answer answer = Answer::NothingToDo;
  std::vector<PatchOperation> operations;  // the first two test uid and resourceVersion
  std::vector<std::string> added;          // Tamp's own, by this edit or before it, of what such an edit adds
};
// How to carry a Protect, Cordon, Taint, Uncordon, Release, Leave or ReleaseClaim out on the node (or NodeClaim) as it is now. `node` is the
// live object, just read. A claim whose uid the journal does not know is ours if its note says so. What the journal knows of earlier
// additions counts where the note was removed by others.
Edit edit_node(const wire::Tree& node, const run::Mutation& mutation, std::string_view run,
               const std::vector<std::string>& added_before = {});

}  // namespace tamp::documents
