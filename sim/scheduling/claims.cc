#include "sim/scheduling/claims.h"

#include <fmt/format.h>

#include <string>

#include "oracle/storage.h"

namespace tamp::world {
namespace {

using api::Object;
using api::ObjectPtr;
using api::ResourceId;
using wire::Tree;

constexpr std::string_view kZone = "topology.kubernetes.io/zone";

Tree claim_reference(const Object& claim) {
  return Tree::object({{"apiVersion", "v1"},
                       {"kind", "PersistentVolumeClaim"},
                       {"name", claim.name()},
                       {"namespace", claim.ns()},
                       {"uid", claim.uid()}});
}

// A cloud's disk is in one zone.
Tree in_zone(std::string_view zone) {
  Tree requirement = Tree::object({{"key", kZone}, {"operator", "In"}, {"values", Tree::array()}});
  requirement.ensure("values").append(zone);
  Tree terms = Tree::array();
  terms.append(Tree::object({{"matchExpressions", Tree::array()}}));
  terms.elements().front().ensure("matchExpressions").append(std::move(requirement));
  return Tree::object({{"required", Tree::object({{"nodeSelectorTerms", std::move(terms)}})}});
}

Tree new_volume(const Object& claim, const Object& cls, std::string_view zone) {
  const std::string name = fmt::format("pvc-{}", claim.uid());
  const std::string_view provisioner = cls.tree()["provisioner"].string();
  Tree spec = Tree::object(
      {{"accessModes", claim.spec()["accessModes"]},
       {"capacity", Tree::object({{"storage", claim.spec().at({"resources", "requests", "storage"})}})},
       {"claimRef", claim_reference(claim)},
       {"csi", Tree::object({{"driver", provisioner}, {"volumeHandle", name}})},
       {"persistentVolumeReclaimPolicy", cls.tree()["reclaimPolicy"].string("Delete")},
       {"storageClassName", cls.name()},
       {"volumeMode", claim.spec()["volumeMode"].string("Filesystem")}});
  if (!zone.empty()) spec.set("nodeAffinity", in_zone(zone));
  return Tree::object(
      {{"apiVersion", "v1"},
       {"kind", "PersistentVolume"},
       {"metadata",
        Tree::object({{"name", name},
                      {"annotations", Tree::object({{"pv.kubernetes.io/provisioned-by", provisioner}})}})},
       {"spec", std::move(spec)}});
}

// Volume and claim now know each other.
bool tie(Stage& stage, const Object& claim, std::string_view volume, std::string_view node) {
  const auto set_phase = [](Tree& object) { object.ensure({"status", "phase"}) = Tree("Bound"); };
  stage.api.modify(ResourceId::PersistentVolumes, "", volume, set_phase, {.subresource = "status"});
  const api::Outcome bound =
      stage.api.modify(ResourceId::PersistentVolumeClaims, claim.ns(), claim.name(), [&](Tree& object) {
        Tree& annotations = object.ensure({"metadata", "annotations"});
        annotations.set("pv.kubernetes.io/bind-completed", "yes");
        annotations.set("pv.kubernetes.io/bound-by-controller", "yes");
        if (!node.empty()) annotations.set("volume.kubernetes.io/selected-node", node);
        object.ensure("spec").set("volumeName", volume);
      });
  if (!bound.ok()) return false;
  const ObjectPtr held = stage.api.get(ResourceId::PersistentVolumes, "", volume);
  return stage.api
      .modify(ResourceId::PersistentVolumeClaims, claim.ns(), claim.name(),
              [&](Tree& object) {
                set_phase(object);
                Tree& status = object.ensure("status");
                status.set("accessModes", object["spec"]["accessModes"]);
                if (held) status.set("capacity", held->spec()["capacity"]);
              },
              {.subresource = "status"})
      .ok();
}

}  // namespace

bool provision(Stage& stage, const Board& board, std::string_view ns, std::string_view name,
               std::string_view node) {
  const ObjectPtr claim = stage.api.get(ResourceId::PersistentVolumeClaims, ns, name);
  if (!claim || claim->terminating() || !claim->spec()["volumeName"].string().empty())
    return claim != nullptr;
  const ObjectPtr cls =
      stage.api.get(ResourceId::StorageClasses, "", claim->spec()["storageClassName"].string());
  if (!cls) return false;
  const NodeRef host = board.find_node(node);
  const std::string_view zone =
      host.valid() ? board.text(board.node(host).labels.get(board.cluster().known.zone)) : std::string_view();
  const api::Outcome made =
      stage.api.create(ResourceId::PersistentVolumes, "", new_volume(*claim, *cls, zone));
  if (!made.ok() && made.reason() != "AlreadyExists") return false;
  return tie(stage, *claim, fmt::format("pvc-{}", claim->uid()), node);
}

bool bind_claims(Stage& stage, const Board& board, PodId pod, NodeRef node) {
  const Placement& placement = board.placement();
  if (board.pod(pod).volumes.empty()) return true;
  const auto decisions = decide_volumes(placement, pod, node);
  if (!decisions) return false;
  // By name: what is written comes back to the board, but not before this is over.
  for (const VolumeDecision& decision : *decisions) {
    const std::string_view ns = board.text(decision.claim->ns), name = board.text(decision.claim->name);
    const std::string_view host = board.text(board.node(node).name);
    if (!decision.volume) {
      if (!provision(stage, board, ns, name, host)) return false;
      continue;
    }
    const ObjectPtr claim = stage.api.get(ResourceId::PersistentVolumeClaims, ns, name);
    const std::string volume(board.text(decision.volume->name));
    if (!claim) return false;
    stage.api.modify(ResourceId::PersistentVolumes, "", volume,
                     [&](Tree& object) { object.ensure("spec").set("claimRef", claim_reference(*claim)); });
    if (!tie(stage, *claim, volume, {})) return false;
  }
  return true;
}

bool wants_volume_now(const Board& board, const Object& claim) {
  if (claim.terminating() || !claim.spec()["volumeName"].string().empty()) return false;
  const std::string_view wanted = claim.spec()["storageClassName"].string();
  for (const StorageClass& cls : board.cluster().storage_classes)
    if (!wanted.empty() && board.text(cls.name) == wanted)
      return !cls.wait_for_first_consumer && !board.text(cls.provisioner).empty() &&
             board.text(cls.provisioner) != "kubernetes.io/no-provisioner";
  return false;
}

void release(Stage& stage, std::string_view volume) {
  const ObjectPtr held = stage.api.get(ResourceId::PersistentVolumes, "", volume);
  if (!held) return;
  if (held->spec()["persistentVolumeReclaimPolicy"].string() == "Delete") {
    stage.api.remove(ResourceId::PersistentVolumes, "", volume);
    return;
  }
  stage.api.modify(ResourceId::PersistentVolumes, "", volume,
                   [](Tree& object) { object.ensure({"status", "phase"}) = Tree("Released"); },
                   {.subresource = "status"});
}

}  // namespace tamp::world
