#include "fit/volume_book.h"

#include <algorithm>

namespace tamp::fit {

VolumeBook::VolumeBook(const Index& index) : index_(index) {
  if (!index.volumes().any()) return;
  const Cluster& c = index.cluster();
  sites_.resize(index.sites().list.size());
  exclusive_users_.resize(c.volume_claims.size());
  for (std::size_t i = 0; i < c.pods.size(); ++i)
    if (const Pod& pod = c.pods[i]; pod.bound() && !pod.terminal()) arrive(PodId(i), index.site_of(pod.node));
  if (!index.karpenter()) return;
  for (std::size_t s = 0; s < sites_.size(); ++s)
    for (const auto& a : sites_[s].attached) {
      const auto limit = index.volumes().limit(index.site(SiteId(s)).node, a.volume.driver);
      const auto same = [&](const Attached& x) { return x.volume.driver == a.volume.driver; };
      if (limit && std::count_if(sites_[s].attached.begin(), sites_[s].attached.end(), same) > *limit)
        sites_[s].over_limit = true;
    }
}

void VolumeBook::use_exclusive(const PodVolumes& volumes, std::int32_t delta) {
  for (const ClaimIndex claim : volumes.exclusive) exclusive_users_[claim] += delta;
}

void VolumeBook::arrive(PodId pod, SiteId site) {
  const PodVolumes* v = index_.volumes().of(pod);
  if (!v) return;
  SiteUse& use = sites_[site.index()];
  for (const auto& a : v->attachments) {
    const auto it = std::find_if(use.attached.begin(), use.attached.end(),
                                 [&](const Attached& x) { return x.volume == a; });
    if (it == use.attached.end())
      use.attached.push_back({a, 1});
    else
      ++it->pods;
  }
  use.disks.insert(use.disks.end(), v->disks.begin(), v->disks.end());
  use.unattachable += v->unattachable ? 1 : 0;
  use_exclusive(*v, +1);
}

void VolumeBook::depart(PodId pod, SiteId site) {
  const PodVolumes* v = index_.volumes().of(pod);
  if (!v) return;
  SiteUse& use = sites_[site.index()];
  for (const auto& a : v->attachments)
    for (auto& x : use.attached)
      if (x.volume == a) --x.pods;
  for (const PodVolume* disk : v->disks) use.disks.erase(std::find(use.disks.begin(), use.disks.end(), disk));
  use.unattachable -= v->unattachable ? 1 : 0;
  use_exclusive(*v, -1);
}

void VolumeBook::bind(PodId pod, SiteId site) {
  const PodVolumes* v = index_.volumes().of(pod);
  if (!v || v->unbound.empty()) return;
  auto now = index_.volumes().decide(*v, index_.site(site), decisions_);
  if (!now) return;
  for (VolumeDecision& d : *now) {
    d.pod = pod;
    decisions_.push_back(d);
  }
}

void VolumeBook::unbind(PodId pod) {
  std::erase_if(decisions_, [&](const VolumeDecision& d) { return d.pod == pod; });
}

void VolumeBook::join_new_node(PodId pod) {
  const PodVolumes* v = index_.volumes().of(pod);
  if (!v) return;
  use_exclusive(*v, +1);
  for (const UnboundClaim& u : v->unbound) decisions_.push_back({u.claim, std::nullopt, Symbol(), pod});
}

void VolumeBook::leave_new_node(PodId pod) {
  const PodVolumes* v = index_.volumes().of(pod);
  if (!v) return;
  use_exclusive(*v, -1);
  unbind(pod);
}

bool VolumeBook::exclusive_claim_in_use(const PodVolumes& volumes) const {
  return std::any_of(volumes.exclusive.begin(), volumes.exclusive.end(),
                     [&](ClaimIndex claim) { return exclusive_users_[claim] > 0; });
}

bool VolumeBook::has_limits(NodeId node) const {
  const CsiNode* csi = index_.volumes().csi_node(node);
  return csi && std::any_of(csi->drivers.begin(), csi->drivers.end(),
                            [](const CsiDriver& d) { return d.limit.has_value(); });
}

bool VolumeBook::attachable(const PodVolumes& volumes, SiteId site) const {
  const NodeId node = index_.site(site).node;
  if (!node.valid()) return true;
  const SiteUse& use = sites_[site.index()];
  if (!index_.karpenter()) {
    if (volumes.unattachable && index_.volumes().csi_node(node)) return false;
    if (use.unattachable > 0 && !volumes.attachments.empty() && has_limits(node)) return false;
  }
  for (const auto& a : volumes.attachments) {
    const auto limit = index_.volumes().limit(node, a.driver);
    if (!limit) continue;
    const auto attached = [&](const Attachment& b) {
      return std::any_of(use.attached.begin(), use.attached.end(),
                         [&](const Attached& x) { return x.pods > 0 && x.volume == b; });
    };
    const auto used = std::count_if(use.attached.begin(), use.attached.end(), [&](const Attached& x) {
      return x.pods > 0 && x.volume.driver == a.driver;
    });
    const auto fresh =
        std::count_if(volumes.attachments.begin(), volumes.attachments.end(),
                      [&](const Attachment& b) { return b.driver == a.driver && !attached(b); });
    // Kubernetes lets a pod in whose volumes are all attached already, even on a node over its limit; Karpenter does not.
    if ((fresh > 0 || index_.karpenter()) && used + fresh > *limit) return false;
  }
  return true;
}

const char* VolumeBook::refusal(PodId pod, SiteId site) const {
  if (sites_.empty()) return "";
  const SiteUse& use = sites_[site.index()];
  if (use.over_limit) return "NodeVolumeLimits";
  const Volumes& volumes = index_.volumes();
  const PodVolumes* v = volumes.of(pod);
  if (!v) return "";
  const Site& where = index_.site(site);
  if (index_.karpenter()) {
    if (*v->refused_by) return v->refused_by;
    if (!attachable(*v, site)) return "NodeVolumeLimits";
    return volumes.karpenter_allows(*v, where) ? "" : "VolumeBinding";
  }
  const auto clashes = [&](const PodVolume* mine) {
    return std::any_of(use.disks.begin(), use.disks.end(), [&](const PodVolume* theirs) {
      return disks_conflict(index_.cluster(), *mine, *theirs);
    });
  };
  if (std::any_of(v->disks.begin(), v->disks.end(), clashes)) return "VolumeRestrictions";
  if (exclusive_claim_in_use(*v)) return "VolumeRestrictions";
  if (!attachable(*v, site)) return "NodeVolumeLimits";
  if (*v->refused_by) return v->refused_by;
  if (!volumes.bound_reach(*v, where)) return "VolumeBinding";
  if (!v->unbound.empty() && !volumes.decide(*v, where, decisions_)) return "VolumeBinding";
  return volumes.zones_match(*v, where) ? "" : "VolumeZone";
}

bool VolumeBook::new_node_takes(PodId pod, std::span<const PodId> others) const {
  const PodVolumes* v = index_.volumes().of(pod);
  if (!v) return true;
  if (*v->refused_by) return false;
  if (index_.karpenter()) return true;
  if (v->no_new_node || v->unattachable || exclusive_claim_in_use(*v)) return false;
  for (const UnboundClaim& u : v->unbound)
    for (const VolumeDecision& d : decisions_)
      if (d.claim == u.claim &&
          (d.node.valid() || std::find(others.begin(), others.end(), d.pod) == others.end()))
        return false;
  for (const PodId other : others) {
    const PodVolumes* theirs = index_.volumes().of(other);
    if (!theirs) continue;
    for (const PodVolume* a : v->disks)
      for (const PodVolume* b : theirs->disks)
        if (disks_conflict(index_.cluster(), *a, *b)) return false;
  }
  return true;
}

}  // namespace tamp::fit
