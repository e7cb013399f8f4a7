#include "wire/run_note.h"

#include <algorithm>

#include "core/json_writer.h"
#include "core/node.h"
#include "wire/tree.h"

namespace tamp::wire {
namespace {

// False if it is no list of words.
bool read_words(const Tree& list, std::vector<std::string>& words) {
  if (!list.is_array() && !list.is_null()) return false;
  for (const Tree& element : list.elements()) {
    if (element.string().empty()) return false;
    words.emplace_back(element.string());
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return true;
}

}  // namespace

std::optional<RunNote> read_run_note(const std::string& text) {
  const auto tree = read_tree(text);
  if (!tree || !tree->is_object()) return std::nullopt;
  RunNote note;
  if (!read_words((*tree)["runs"], note.runs) || !read_words((*tree)["added"], note.added) ||
      note.runs.empty())
    return std::nullopt;
  return note;
}

std::string write_run_note(const RunNote& note) {
  JsonWriter w;
  w.begin_object();
  for (const auto& [key, words] : {std::pair("added", &note.added), std::pair("runs", &note.runs)}) {
    w.key(key).begin_array();
    for (const std::string& word : *words) w.string(word);
    w.end_array();
  }
  w.end_object();
  return w.take();
}

std::uint8_t own_marks(const RunNote& note) {
  constexpr std::pair<std::string_view, OwnMark> kMarks[] = {
      {"karpenter.sh/do-not-disrupt", OwnMark::DoNotDisrupt},
      {"cluster-autoscaler.kubernetes.io/scale-down-disabled", OwnMark::ScaleDownDisabled},
      {"autoscaling.cast.ai/removal-disabled", OwnMark::RemovalDisabled},
      {"cordon", OwnMark::Cordon},
      {"taint", OwnMark::Taint},
      {"no-load-balancer", OwnMark::NoLoadBalancer}};
  std::uint8_t own = 0;
  for (const auto& [word, mark] : kMarks)
    if (std::binary_search(note.added.begin(), note.added.end(), word))
      own |= static_cast<std::uint8_t>(mark);
  return own;
}

}  // namespace tamp::wire
