#include "sim/controllers/revisions.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/controllers/pod_facts.h"
#include "sim/controllers/record.h"
#include "sim/controllers/template_hash.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

// A strategic merge patch that brings the template back.
Tree data_of(const api::Object& owner) {
  Tree pod_template = owner.spec()["template"];
  pod_template.set("$patch", "replace");
  return Tree::object({{"spec", Tree::object({{"template", std::move(pod_template)}})}});
}

}  // namespace

api::ObjectPtr Revisions::named(std::string_view name) const {
  for (const auto& revision : all)
    if (revision->name() == name) return revision;
  return {};
}

Tree template_of(const api::Object& revision) {
  Tree pod_template = revision.tree()["data"]["spec"]["template"];
  pod_template.erase("$patch");
  return pod_template;
}

Revisions keep_revisions(Stage& stage, const OwnedIndex& index, const api::Object& owner,
                         std::string_view hash_label) {
  Revisions revisions;
  for (const auto& [name, revision] : index.of(owner.uid())) revisions.all.push_back(revision);
  const auto number = [](const api::ObjectPtr& revision) { return revision->tree()["revision"].integer(); };
  const auto sort = [&] {
    std::sort(revisions.all.begin(), revisions.all.end(),
              [&](const api::ObjectPtr& a, const api::ObjectPtr& b) {
                return std::pair(number(a), a->name()) < std::pair(number(b), b->name());
              });
  };
  sort();
  const std::int64_t next = revisions.all.empty() ? 1 : number(revisions.all.back()) + 1;
  const Tree data = data_of(owner);
  const auto equal =
      std::find_if(revisions.all.rbegin(), revisions.all.rend(),
                   [&](const api::ObjectPtr& revision) { return revision->tree()["data"] == data; });
  if (equal != revisions.all.rend()) {
    if (equal != revisions.all.rbegin()) {
      const auto outcome = stage.api.modify(
          ResourceId::ControllerRevisions, owner.ns(), (*equal)->name(),
          [&](Tree& tree) { tree.set("revision", next); }, as_controller_manager());
      if (outcome.ok()) *equal = outcome.object;
    }
    revisions.newest = *equal;
    sort();
    return revisions;
  }
  for (std::int64_t collisions = 0; collisions < 8 && !revisions.newest; ++collisions) {
    const std::string hash = template_hash(owner.spec()["template"], collisions);
    Tree labels = owner.spec()["template"]["metadata"]["labels"];
    labels.set(hash_label, hash);
    Tree metadata =
        Tree::object({{"name", fmt::format("{}-{}", owner.name(), hash)}, {"labels", std::move(labels)}});
    if (!owner.metadata()["annotations"].empty())
      metadata.set("annotations", owner.metadata()["annotations"]);
    metadata.ensure("ownerReferences").append(api::owner_reference(owner));
    const auto outcome = stage.api.create(ResourceId::ControllerRevisions, owner.ns(),
                                          Tree::object({{"apiVersion", "apps/v1"},
                                                        {"kind", "ControllerRevision"},
                                                        {"metadata", std::move(metadata)},
                                                        {"data", data},
                                                        {"revision", next}}),
                                          as_controller_manager());
    if (outcome.ok()) {
      revisions.newest = outcome.object;
      revisions.all.push_back(outcome.object);
    } else if (outcome.reason() != "AlreadyExists") {
      break;
    }
  }
  return revisions;
}

void drop_old_revisions(Stage& stage, const api::Object& owner, const Revisions& revisions,
                        const std::vector<std::string_view>& used) {
  const auto limit = owner.spec()["revisionHistoryLimit"].integer(10);
  if (limit < 0 || static_cast<std::int64_t>(revisions.all.size()) <= limit + 1) return;
  std::vector<api::ObjectPtr> idle;
  for (const auto& revision : revisions.all) {
    const bool live =
        revision == revisions.newest || std::any_of(used.begin(), used.end(), [&](std::string_view name) {
          return name == revision->name() || name == label_of(*revision, "controller-revision-hash");
        });
    if (!live) idle.push_back(revision);
  }
  for (std::size_t i = 0; i + static_cast<std::size_t>(limit) < idle.size(); ++i)
    stage.api.remove(ResourceId::ControllerRevisions, owner.ns(), idle[i]->name());
}

}  // namespace tamp::world
