#include "sim/campaign/cluster_truth.h"

#include <algorithm>

namespace tamp::sim {
namespace {

using wire::Tree;
using world::api::Object;
using world::api::ResourceId;

PodTruth read_pod(const Object& pod) {
  PodTruth truth;
  truth.ns = pod.ns();
  truth.name = pod.name();
  truth.node = pod.spec()["nodeName"].string();
  const Tree& owner = world::api::controller_of(pod);
  truth.owner = owner["uid"].string();
  truth.terminating = pod.terminating();
  truth.is_protected = pod.spec()["priority"].integer() >= 100'000;
  const std::string_view phase = pod.status()["phase"].string();
  // Nobody asks a Job's pods: they do their work as soon as they run.
  truth.ready = !truth.terminating &&
                (owner["kind"].string() == "Job" ? phase == "Running"
                                                 : world::api::condition_true(pod.tree(), "Ready"));
  truth.movable = owner["kind"].string() != "DaemonSet" && phase != "Succeeded" && phase != "Failed" &&
                  !pod.metadata()["annotations"].has("kubernetes.io/config.mirror");
  if (pod.spec().has("terminationGracePeriodSeconds"))
    truth.grace = pod.spec()["terminationGracePeriodSeconds"].integer();
  return truth;
}

}  // namespace

const PodTruth* ClusterTruth::pod(std::string_view uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : &found->second;
}

void ClusterTruth::count(const PodTruth& pod, std::int64_t by) {
  if (pod.owner.empty() || !pod.ready) return;
  owners_[pod.owner].ready += by;
}

void ClusterTruth::settle(const std::string& owner) {
  if (owner.empty()) return;
  OwnerTruth& truth = owners_[owner];
  if (truth.whole()) truth.needs.reset();
}

void ClusterTruth::evicted(const std::string& owner, std::int64_t ready_before) {
  if (!owner.empty()) owners_[owner].needs = ready_before;
  settle(owner);
}

void ClusterTruth::hear(const world::api::Change& change, Time now) {
  const Object& object = change.object();
  const std::string uid(object.uid());
  if (change.resource != ResourceId::Pods) {
    owners_[uid].kind = change.resource == ResourceId::Jobs ? "Job" : "set";
    owners_[uid].ns = object.ns();
    owners_[uid].name = object.name();
  }
  switch (change.resource) {
    case ResourceId::Pods: {
      std::optional<Time> bound;
      std::string owner;
      if (const auto before = pods_.find(uid); before != pods_.end()) {
        bound = before->second.bound;
        owner = before->second.owner;
        count(before->second, -1);
      }
      if (!change.after) {
        pods_.erase(uid);
      } else {
        PodTruth pod = read_pod(object);
        pod.bound = bound;
        if (!pod.bound && !pod.node.empty()) pod.bound = now;
        owner = pod.owner;
        count(pod, 1);
        pods_[uid] = std::move(pod);
      }
      return settle(owner);
    }
    case ResourceId::ReplicaSets:
    case ResourceId::StatefulSets:
    case ResourceId::ReplicationControllers: {
      OwnerTruth& owner = owners_[uid];
      owner.exists = change.after && !object.terminating();
      owner.desired = object.spec()["replicas"].integer(1);
      return settle(uid);
    }
    case ResourceId::Jobs: {
      OwnerTruth& owner = owners_[uid];
      const bool done = world::api::condition_true(object.tree(), "Complete") ||
                        world::api::condition_true(object.tree(), "Failed");
      owner.exists = change.after && !object.terminating();
      const std::int64_t left =
          object.spec()["completions"].integer(1) - object.status()["succeeded"].integer();
      owner.desired = done ? 0 : std::min(object.spec()["parallelism"].integer(1), left);
      return settle(uid);
    }
    default:
      return;
  }
}

const PodTruth* ClusterTruth::resident(std::string_view node, Time since) const {
  for (const auto& [uid, pod] : pods_)
    if (pod.node == node && pod.movable && !pod.terminating && pod.bound && *pod.bound < since) return &pod;
  return nullptr;
}

}  // namespace tamp::sim
