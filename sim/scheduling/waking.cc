#include "sim/scheduling/waking.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "oracle/filters.h"

namespace tamp::world {
namespace {

using api::ResourceId;

bool any_of(const WaitingPod& how, std::initializer_list<std::string_view> plugins) {
  return std::any_of(plugins.begin(), plugins.end(),
                     [&](std::string_view plugin) { return how.refused_by.contains(plugin); });
}

bool runs(const api::ObjectPtr& pod) {
  if (!pod || pod->spec()["nodeName"].string().empty()) return false;
  const std::string_view phase = pod->status()["phase"].string();
  return phase != "Succeeded" && phase != "Failed";
}

// What happened to a pod that runs, or ran.
struct PodNews {
  bool left = false;     // its room is free
  bool shrunk = false;   // or some of it: its requests changed
  bool differs = false;  // it is there now, or on its way out, or others select it
};

PodNews news_of(const api::Change& change) {
  PodNews news;
  const bool before = runs(change.before), after = runs(change.after);
  news.left = before && !after;
  news.shrunk = before && after && !(change.before->spec() == change.after->spec());
  news.differs = (after && !before) || news.left ||
                 (before && after &&
                  (change.before->terminating() != change.after->terminating() ||
                   !(change.before->metadata()["labels"] == change.after->metadata()["labels"])));
  return news;
}

// Everything about the node but what runs on it.
bool suits(const Board& board, NodeRef node, PodId pod) {
  const Placement& placement = board.placement();
  if (!node_affinity_named(placement, pod, node) || !node_unschedulable_fits(placement, pod, node) ||
      !taint_toleration_fits(placement, pod, node) || !node_affinity_fits(placement, pod, node))
    return false;
  const ResourceList& room = board.node(node).allocatable;
  const ResourceList& asked = board.cluster().spec(board.pod(pod)).requests;
  return std::all_of(asked.begin(), asked.end(),
                     [&](const ResourceAmount& a) { return a.amount <= room.get(a.id); });
}

}  // namespace

bool may_help_anyone(const api::Change& change) {
  switch (change.resource) {
    case ResourceId::Pods: {
      const PodNews news = news_of(change);
      return news.left || news.shrunk || news.differs;
    }
    case ResourceId::Nodes:
    case ResourceId::Namespaces:
    case ResourceId::PersistentVolumes:
    case ResourceId::PersistentVolumeClaims:
    case ResourceId::StorageClasses:
    case ResourceId::CsiNodes:
      return true;
    default:
      return false;
  }
}

bool may_help(const Board& board, const api::Change& change, PodId waiting, const WaitingPod& how) {
  switch (change.resource) {
    case ResourceId::Pods: {
      const PodNews news = news_of(change);
      if ((news.left || news.shrunk) &&
          any_of(how, {"NodeResourcesFit", "NodePorts", "VolumeRestrictions", "NodeVolumeLimits"}))
        return true;
      return news.differs && any_of(how, {"PodTopologySpread", "InterPodAffinity"});
    }
    case ResourceId::Nodes: {
      const NodeRef node = board.find_node(change.object().name());
      // A node that is gone takes its topology domain with it.
      if (!node.valid()) return any_of(how, {"PodTopologySpread"});
      return suits(board, node, waiting);
    }
    case ResourceId::Namespaces:
      return any_of(how, {"InterPodAffinity"});
    default:
      return any_of(how, {"VolumeBinding", "VolumeZone", "VolumeRestrictions", "NodeVolumeLimits"});
  }
}

}  // namespace tamp::world
