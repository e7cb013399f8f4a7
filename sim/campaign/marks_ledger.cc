#include "sim/campaign/marks_ledger.h"

#include <algorithm>
#include <array>

namespace tamp::sim {
namespace {

using wire::Tree;

constexpr std::array<std::string_view, kProtections> kKeys = {
    "karpenter.sh/do-not-disrupt", "cluster-autoscaler.kubernetes.io/scale-down-disabled",
    "autoscaling.cast.ai/removal-disabled"};
constexpr std::string_view kNote = "temper.codes/run", kTaint = "temper.codes/consolidating",
                           kLabel = "node.kubernetes.io/exclude-from-external-load-balancers";

bool paused(const world::api::Object& node) {
  return node.metadata()["annotations"]["temper.codes/pause"].string() == "true";
}

}  // namespace

bool is_protection(std::string_view mark) {
  return std::find(kKeys.begin(), kKeys.end(), mark) != kKeys.end();
}

bool fully_protected(const Marks& marks) {
  return std::all_of(kKeys.begin(), kKeys.end(),
                     [&](std::string_view key) { return marks.contains(std::string(key)); });
}

Marks marks_of(const world::api::Object& node) {
  Marks marks;
  const Tree& annotations = node.metadata()["annotations"];
  for (const std::string_view key : kKeys)
    if (annotations.has(key)) marks.emplace(key, annotations[key].string());
  if (annotations.has(kNote)) marks.emplace("note", annotations[kNote].string());
  if (const Tree* label = node.metadata()["labels"].find(kLabel))
    marks.emplace("no-load-balancer", label->string());
  if (node.spec()["unschedulable"].boolean()) marks.emplace("cordon", "true");
  for (const Tree& taint : node.spec()["taints"].elements())
    if (taint["key"].string() == kTaint) marks.emplace("taint", taint["effect"].string());
  return marks;
}

Tree rest_of(const world::api::Object& node) {
  Tree rest = node.tree();
  rest.erase("status");
  Tree& metadata = rest.ensure("metadata");
  for (const char* field : {"resourceVersion", "managedFields", "generation"}) metadata.erase(field);
  if (metadata.has("annotations")) {
    Tree& annotations = metadata.ensure("annotations");
    for (const std::string_view key : kKeys) annotations.erase(key);
    annotations.erase(kNote);
    if (annotations.empty()) metadata.erase("annotations");
  }
  if (metadata.has("labels")) metadata.ensure("labels").erase(kLabel);
  if (rest.has("spec")) {
    Tree& spec = rest.ensure("spec");
    spec.erase("unschedulable");
    if (spec.has("taints")) {
      // The API server of old added the taint of a cordon; the node lifecycle controller does so now.
      Tree::Array& taints = spec.ensure("taints").elements();
      std::erase_if(taints, [](const Tree& taint) {
        return taint["key"].string() == kTaint || taint["key"].string() == "node.kubernetes.io/unschedulable";
      });
      if (taints.empty()) spec.erase("taints");
    }
  }
  return rest;
}

const MarkedNode* MarksLedger::find(std::string_view uid) const {
  const auto found = nodes_.find(uid);
  return found == nodes_.end() ? nullptr : &found->second;
}

void MarksLedger::foreign(const world::api::Change& change, Time now) {
  if (!change.after) {
    nodes_.erase(std::string(change.before->uid()));
    return;
  }
  MarkedNode& node = nodes_[std::string(change.after->uid())];
  const Marks before = node.now, after = marks_of(*change.after);
  node.name = change.after->name();
  node.now = after;
  if (!paused(*change.after))
    node.paused_at.reset();
  else if (!node.paused_at)
    node.paused_at = now;
  if (!change.before && after.contains("note")) {
    // A replacement: the autoscaler copied what our claim carries.
    for (const auto& [mark, value] : after)
      if (is_protection(mark)) node.ours.insert(mark);
    node.ours.insert("note");
  } else {
    std::set<std::string> keys;
    for (const auto& [mark, value] : before) keys.insert(mark);
    for (const auto& [mark, value] : after) keys.insert(mark);
    for (const std::string& mark : keys) {
      const auto was = before.find(mark), is = after.find(mark);
      if (was != before.end() && is != after.end() && was->second == is->second) continue;
      node.foreign_at = now;
      if (mark == "note") {
        node.note_taken = node.note_taken || is == after.end();
        continue;
      }
      if (is == after.end()) {
        node.shadow.erase(mark);
      } else {
        node.shadow[mark] = is->second;
        if (was != before.end()) node.ours.erase(mark);
      }
    }
  }
  if (fully_protected(after)) node.protected_at = now;
}

void MarksLedger::own(const world::api::Change& change, Time now,
                      const std::function<void(std::string_view rule, std::string text)>& complain) {
  if (!change.before || !change.after) return complain("I2", "a node was created or deleted");
  MarkedNode& node = nodes_[std::string(change.after->uid())];
  const Marks before = marks_of(*change.before), after = marks_of(*change.after);
  for (const auto& [mark, value] : before) {
    if (mark == "note") continue;
    const auto is = after.find(mark);
    if (is != after.end() && is->second == value) continue;
    if (is != after.end())
      complain("I7", "changed " + mark + " of node " + node.name + " from " + value + " to " + is->second);
    else if (!node.ours.contains(mark))
      complain(mark == "cordon" ? "I8" : "I7",
               "removed " + mark + " of node " + node.name + ", which is not ours");
  }
  for (const auto& [mark, value] : after)
    if (!before.contains(mark)) node.ours.insert(mark);
  if (!(rest_of(*change.before) == rest_of(*change.after)))
    complain("I7", "changed more of node " + node.name + " than its marks");
  if (fully_protected(before) || fully_protected(after)) node.protected_at = now;
  node.now = after;
}

void MarksLedger::touch_protected(Time now) {
  for (auto& [uid, node] : nodes_)
    if (fully_protected(node.now)) node.protected_at = now;
}

}  // namespace tamp::sim
