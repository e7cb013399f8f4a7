#include "documents/claim_body.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/ascii.h"
#include "documents/marks.h"

namespace tamp::documents {
namespace {

using wire::Tree;

constexpr std::string_view kPool = "karpenter.sh/nodepool";
constexpr std::string_view kType = "node.kubernetes.io/instance-type";
constexpr std::string_view kCapacityType = "karpenter.sh/capacity-type";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";

Tree texts(const std::vector<std::string>& values) {
  Tree list = Tree::array();
  for (const std::string& v : values) list.append(v);
  return list;
}

Tree requirement(std::string_view key, Tree values) {
  return Tree::object({{"key", key}, {"operator", "In"}, {"values", std::move(values)}});
}

Tree labels_of(const Tree& pool, const Tree& node_class) {
  Tree labels = pool.at({"spec", "template", "metadata", "labels"});
  labels.set(kPool, pool.at({"metadata", "name"}).string());
  labels.set(std::string(node_class["group"].string()) + "/" + lower(node_class["kind"].string()),
             node_class["name"].string());
  // A label of the user's own that the template leaves open among several values: every node needs one of them. Well-known ones
  // come from the machine.
  for (const Tree& r : pool.at({"spec", "template", "spec", "requirements"}).elements()) {
    const std::string_view key = r["key"].string();
    const bool users_own = key.find("kubernetes.io/") == std::string_view::npos &&
                           key.find("karpenter") == std::string_view::npos &&
                           key.find("k8s.io/") == std::string_view::npos;
    if (!users_own || r["operator"].string() != "In" || labels.has(key)) continue;
    std::set<std::string_view> values;
    for (const Tree& v : r["values"].elements()) values.insert(v.string());
    if (!values.empty()) labels.set(key, *values.begin());
  }
  return labels;
}

Tree annotations_of(const run::Run& run, const Tree& pool) {
  Tree annotations = pool.at({"spec", "template", "metadata", "annotations"});
  // By these Karpenter sees whether a claim has drifted from its pool.
  for (const char* key : {"karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version"})
    if (const Tree& value = pool.at({"metadata", "annotations"})[key]; value.is_string())
      annotations.set(key, value);
  Note note;
  note.runs = {run.name};
  for (const std::string_view key : run::kProtections) {
    if (annotations.has(key)) continue;
    annotations.set(key, "true");
    note.added.emplace_back(key);
  }
  std::sort(note.added.begin(), note.added.end());
  annotations.set(run::kNote, write_note(note));
  return annotations;
}

// The template's, with the plan's choice in place of what it says of types, capacity types and zones; and the labels, as Karpenter
// has it.
Tree requirements_of(const run::Run& run, const Tree& pool, const Tree& labels) {
  const proof::PlannedReplacement& r = *run.replacement;
  const std::pair<std::string_view, const std::vector<std::string>*> pins[] = {
      {kType, &r.types}, {kCapacityType, &r.capacity_types}, {kZone, &r.zones}};
  Tree all = Tree::array();
  std::set<std::string> said;
  for (const Tree& asked : pool.at({"spec", "template", "spec", "requirements"}).elements()) {
    const std::string_view key = asked["key"].string();
    const bool pinned = std::any_of(std::begin(pins), std::end(pins), [&](const auto& pin) {
      return pin.first == key && !pin.second->empty();
    });
    if (pinned) continue;
    said.emplace(key);
    all.append(labels.has(key) ? requirement(key, texts({std::string(labels[key].string())})) : asked);
  }
  for (const auto& [key, values] : pins) {
    if (values->empty()) continue;
    said.emplace(key);
    all.append(requirement(key, texts(*values)));
  }
  for (const Tree::Member& label : labels.members())
    if (!said.contains(label.key))
      all.append(requirement(label.key, texts({std::string(label.value.string())})));
  return all;
}

}  // namespace

Result<std::string> write_claim(const run::Run& run, const Tree& pool) {
  const Tree& spec = pool.at({"spec", "template", "spec"});
  const Tree& node_class = spec["nodeClassRef"];
  const std::string_view name = pool.at({"metadata", "name"}).string();
  if (name != run.replacement->pool)
    return Error{"the NodePool is " + std::string(name) + ", not " + run.replacement->pool};
  if (pool.at({"metadata", "deletionTimestamp"}).is_string()) return Error{"the NodePool is being deleted"};
  if (!node_class.is_object()) return Error{"the NodePool's template names no node class"};

  const Tree labels = labels_of(pool, node_class);
  Tree owner = Tree::object({{"apiVersion", "karpenter.sh/v1"},
                             {"kind", "NodePool"},
                             {"name", name},
                             {"uid", pool.at({"metadata", "uid"})},
                             {"blockOwnerDeletion", true}});
  Tree claim = Tree::object({{"apiVersion", "karpenter.sh/v1"}, {"kind", "NodeClaim"}});
  claim.ensure({"metadata", "name"}) = run.claim;
  claim.ensure({"metadata", "labels"}) = labels;
  claim.ensure({"metadata", "annotations"}) = annotations_of(run, pool);
  claim.ensure({"metadata", "ownerReferences"}).append(std::move(owner));
  Tree& body = claim.ensure("spec");
  body = spec;
  body.set("requirements", requirements_of(run, pool, labels));
  return wire::to_json(claim);
}

}  // namespace tamp::documents
