#include "documents/marks.h"

#include <algorithm>
#include <set>

#include "core/json_writer.h"

namespace tamp::documents {
namespace {

using wire::Tree;

constexpr std::string_view kOurValue = "true";

std::string json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

bool is_our_taint(const Tree& taint) {
  return taint["key"].string() == run::kTaint && taint["effect"].string() == "NoSchedule";
}

// One edit in the making.
class Editing {
 public:
  Editing(const Tree& node, std::string_view run, const std::vector<std::string>& added_before)
      : node_(node), run_(run), annotations_(node.at({"metadata", "annotations"})) {
    const auto note = read_note(annotations_[run::kNote].string());
    if (note) {
      runs_.insert(note->runs.begin(), note->runs.end());
      added_.insert(note->added.begin(), note->added.end());
    }
    // Somebody took the note away, or our name out of it. The journal remembers.
    if (!runs_.contains(run_)) added_.insert(added_before.begin(), added_before.end());
  }

  bool ours() const { return runs_.contains(run_); }

  void protect() {
    for (const std::string_view key : run::kProtections) {
      candidates_.emplace_back(key);
      if (annotations_.has(key) || node_.at({"metadata", "labels"}).has(key)) continue;
      annotate(key, kOurValue);
      added_.emplace(key);
    }
    hold();
  }
  void cordon() {
    candidates_ = {std::string(run::kAddedCordon), std::string(run::kAddedNoLoadBalancer)};
    if (!node_.at({"spec", "unschedulable"}).boolean()) {
      operation("add", "/spec/unschedulable", "true");
      added_.emplace(run::kAddedCordon);
    }
    if (!node_.at({"metadata", "labels"}).has(run::kNoLoadBalancer)) {
      if (!node_.at({"metadata", "labels"}).is_object()) operation("add", "/metadata/labels", "{}");
      operation("add", "/metadata/labels/" + pointer_token(run::kNoLoadBalancer), json(kOurValue));
      added_.emplace(run::kAddedNoLoadBalancer);
    }
    hold();
  }
  void taint() {
    candidates_ = {std::string(run::kAddedTaint)};
    if (!tainted()) {
      const std::string ours = R"({"effect":"NoSchedule","key":)" + json(run::kTaint) + "}";
      if (node_.at({"spec", "taints"}).is_array())
        operation("add", "/spec/taints/-", ours);
      else
        operation("add", "/spec/taints", "[" + ours + "]");
      added_.emplace(run::kAddedTaint);
    }
    hold();
  }
  // Only the cordon that is ours, and only while the taint keeps new pods away.
  void uncordon() {
    if (!tainted() || added_.erase(std::string(run::kAddedCordon)) == 0) return;
    if (node_.at({"spec", "unschedulable"}).boolean()) operation("remove", "/spec/unschedulable");
    hold();
  }
  // The cordon is a person's from now on.
  void leave() {
    added_.erase(std::string(run::kAddedCordon));
    release();
  }
  void release() {
    candidates_.clear();
    const bool held = runs_.erase(run_) != 0;
    if (!runs_.empty()) {
      // Another run needs the marks; it will take them away.
      if (held) write_back();
      return;
    }
    for (const std::string& mark : added_) take_away(mark);
    if (annotations_.has(run::kNote))
      operation("remove", "/metadata/annotations/" + pointer_token(run::kNote));
  }

  Edit take() {
    Edit edit;
    for (const std::string& c : candidates_)
      if (added_.contains(c)) edit.added.push_back(c);
    if (operations_.empty()) return edit;
    edit.answer = Edit::Answer::Patch;
    for (const char* field : {"uid", "resourceVersion"})
      edit.operations.push_back(
          {"test", std::string("/metadata/") + field, json(node_.at({"metadata", field}).string())});
    edit.operations.insert(edit.operations.end(), operations_.begin(), operations_.end());
    return edit;
  }

 private:
  bool tainted() const {
    const auto& taints = node_.at({"spec", "taints"}).elements();
    return std::any_of(taints.begin(), taints.end(), is_our_taint);
  }
  void operation(std::string_view op, std::string path, std::string value = {}) {
    operations_.push_back({std::string(op), std::move(path), std::move(value)});
  }
  void annotate(std::string_view key, std::string_view value) {
    if (!annotations_.is_object() && !made_annotations_) {
      operation("add", "/metadata/annotations", "{}");
      made_annotations_ = true;
    }
    operation("add", "/metadata/annotations/" + pointer_token(key), json(value));
  }
  void hold() {
    runs_.insert(run_);
    write_back();
  }
  void write_back() {
    const std::string text = write_note({{runs_.begin(), runs_.end()}, {added_.begin(), added_.end()}});
    if (annotations_[run::kNote].string() != text) annotate(run::kNote, text);
  }
  // As far as it is still as we left it.
  void take_away(const std::string& mark) {
    if (mark == run::kAddedCordon) {
      if (node_.at({"spec", "unschedulable"}).boolean()) operation("remove", "/spec/unschedulable");
    } else if (mark == run::kAddedNoLoadBalancer) {
      if (node_.at({"metadata", "labels"})[run::kNoLoadBalancer].string() == kOurValue)
        operation("remove", "/metadata/labels/" + pointer_token(run::kNoLoadBalancer));
    } else if (mark == run::kAddedTaint) {
      const auto& taints = node_.at({"spec", "taints"}).elements();
      const auto it = std::find_if(taints.begin(), taints.end(), is_our_taint);
      if (it != taints.end() && (*it)["value"].string().empty())
        operation("remove", "/spec/taints/" + std::to_string(it - taints.begin()));
    } else if (std::find(std::begin(run::kProtections), std::end(run::kProtections), mark) !=
               std::end(run::kProtections)) {
      // A note that somebody wrote into must not make us remove other annotations.
      if (annotations_[mark].string() == kOurValue)
        operation("remove", "/metadata/annotations/" + pointer_token(mark));
    }
  }

  const Tree& node_;
  const std::string run_;
  const Tree& annotations_;
  std::set<std::string> runs_, added_;
  std::vector<std::string> candidates_;  // what this kind of edit may add
  std::vector<PatchOperation> operations_;
  bool made_annotations_ = false;
};

}  // namespace

std::optional<Note> read_note(std::string_view text) { return wire::read_run_note(std::string(text)); }
std::string write_note(const Note& note) { return wire::write_run_note(note); }

Edit edit_node(const Tree& node, const run::Mutation& mutation, std::string_view run,
               const std::vector<std::string>& added_before) {
  Editing editing(node, run, added_before);
  const bool known =
      mutation.uid.empty() ? editing.ours() : node.at({"metadata", "uid"}).string() == mutation.uid;
  if (!known) {
    Edit other;
    other.answer = Edit::Answer::OtherObject;
    return other;
  }
  switch (mutation.kind) {
    case run::MutationKind::Protect:
      editing.protect();
      break;
    case run::MutationKind::Cordon:
      editing.cordon();
      break;
    case run::MutationKind::Taint:
      editing.taint();
      break;
    case run::MutationKind::Uncordon:
      editing.uncordon();
      break;
    case run::MutationKind::Release:
    case run::MutationKind::ReleaseClaim:
      editing.release();
      break;
    case run::MutationKind::Leave:
      editing.leave();
      break;
    case run::MutationKind::Evict:
    case run::MutationKind::CreateClaim:
    case run::MutationKind::DeleteClaim:
      break;
  }
  return editing.take();
}

}  // namespace tamp::documents
