#include "sim/scheduling/pod_group.h"

#include <algorithm>
#include <string_view>

namespace tamp::world {
namespace {

using api::ObjectPtr;
using api::ResourceId;
using wire::Tree;

void add_labels(Board& board, const Tree& labels, LabelSelector& into) {
  for (const Tree::Member& label : labels.members())
    into.requirements.push_back({board.word(label.key), SelectorOp::In, {board.word(label.value.string())}});
}

void add_expressions(Board& board, const Tree& expressions, LabelSelector& into) {
  for (const Tree& expression : expressions.elements()) {
    const std::string_view op = expression["operator"].string();
    SelectorRequirement requirement{board.word(expression["key"].string()), SelectorOp::In, {}};
    if (op == "NotIn") requirement.op = SelectorOp::NotIn;
    if (op == "Exists") requirement.op = SelectorOp::Exists;
    if (op == "DoesNotExist") requirement.op = SelectorOp::DoesNotExist;
    for (const Tree& value : expression["values"].elements())
      requirement.values.push_back(board.word(value.string()));
    std::sort(requirement.values.begin(), requirement.values.end());
    into.requirements.push_back(std::move(requirement));
  }
}

bool selects_labels(const Tree& selector, const Tree& labels) {
  const auto& wanted = selector.members();
  return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const Tree::Member& label) {
    const Tree* value = labels.find(label.key);
    return value && value->string() == label.value.string();
  });
}

}  // namespace

std::optional<LabelSelector> group_of(const api::Server& api, Board& board, const api::Object& pod) {
  LabelSelector group;
  for (const ObjectPtr& service : api.list(ResourceId::Services, pod.ns()))
    if (const Tree& selector = service->spec()["selector"];
        selects_labels(selector, pod.metadata()["labels"]))
      add_labels(board, selector, group);

  const Tree& owner = api::controller_of(pod);
  const std::string_view kind = owner["kind"].string();
  ObjectPtr controller;
  if (kind == "ReplicaSet") controller = api.get(ResourceId::ReplicaSets, pod.ns(), owner["name"].string());
  if (kind == "StatefulSet") controller = api.get(ResourceId::StatefulSets, pod.ns(), owner["name"].string());
  if (kind == "ReplicationController")
    controller = api.get(ResourceId::ReplicationControllers, pod.ns(), owner["name"].string());
  if (controller) {
    const Tree& selector = controller->spec()["selector"];
    if (kind == "ReplicationController") {
      add_labels(board, selector, group);
    } else {
      add_labels(board, selector["matchLabels"], group);
      add_expressions(board, selector["matchExpressions"], group);
    }
  }
  if (group.requirements.empty()) return {};
  return group;
}

}  // namespace tamp::world
