// Which volumes are in use where: the part of a simulation's state that volumes add. Every change is undone by its opposite.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fit/index.h"

namespace tamp::fit {

class VolumeBook {
 public:
  // As the cluster's bound pods have it.
  explicit VolumeBook(const Index& index);

  // The first of kube-scheduler's volume filters that refuses the pod on the site, "" if none. In Karpenter's dialect its
  // refusals go by the name of the filter that comes closest.
  const char* refusal(PodId pod, SiteId site) const;
  // Could the pod go to a new node where `others` will be? Labels and zones aside: those are PodVolumes::alternatives.
  bool new_node_takes(PodId pod, std::span<const PodId> others) const;

  void arrive(PodId pod, SiteId site);
  void depart(PodId pod, SiteId site);
  // The claims of a pod that was placed get their volumes.
  void bind(PodId pod, SiteId site);
  void unbind(PodId pod);
  // The same for the new node.
  void join_new_node(PodId pod);
  void leave_new_node(PodId pod);

 private:
  struct Attached {
    Attachment volume;
    std::int32_t pods = 0;
  };
  struct SiteUse {
    std::vector<Attached> attached;
    std::vector<const PodVolume*> disks;
    std::int32_t unattachable = 0;  // pods over which the count of attachments stumbles
    bool over_limit = false;        // from the start. Karpenter puts nothing there.
  };

  bool attachable(const PodVolumes& volumes, SiteId site) const;
  bool has_limits(NodeId node) const;
  bool exclusive_claim_in_use(const PodVolumes& volumes) const;
  void use_exclusive(const PodVolumes& volumes, std::int32_t delta);

  const Index& index_;
  std::vector<SiteUse> sites_;                 // by SiteId; empty when no pod has volumes that matter
  std::vector<std::int32_t> exclusive_users_;  // by ClaimIndex: pods that hold a ReadWriteOncePod claim
  std::vector<VolumeDecision> decisions_;
};

}  // namespace tamp::fit
