// The numbers behind a Topology: how many pods each group has in each domain, and which domains exist. Changes in O(1) and
// changes back the same way: a simulation reverts by applying the opposite.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "fit/host_counts.h"
#include "fit/topology.h"

namespace tamp::fit {

class TopologyCounts {
 public:
  // One pod that a group counts where it is, if the site takes part in the group at all.
  struct Standing {
    GroupId group;
    SiteId site;
  };
  explicit TopologyCounts(const Topology& topology, std::span<const Standing> standing = {});

  void add(GroupId group, DomainId domain, std::int32_t delta);
  // Likewise.
  void add_at(GroupId group, SiteId site, std::int32_t delta);
  Group::Kind kind(GroupId group) const { return of_group_[group.index()].kind; }
  std::int32_t count(GroupId group, DomainId domain) const;
  // Pods of the group in all domains together.
  std::int32_t total(GroupId group) const { return of_group_[group.index()].total; }

  // The node is about to go: `delta` -1, and back: +1. It stays a ghost in `Existence::WithGhosts`.
  void change_presence(SiteId site, std::int32_t delta);
  // A node that does not exist yet joins the domains of a scope.
  void join(ScopeId scope, DomainId domain, std::int32_t delta);

  enum class Existence : std::uint8_t { WithGhosts, GhostsGone };
  // The smallest count over the domains that exist for a spread group; the largest integer when none does. 0 when there
  // are fewer domains than minDomains.
  std::int32_t least(GroupId group, Existence existence) const;

  // Karpenter's idea of a domain that exists: a pool could offer it, a node that stays has it, or a pod was counted there.
  bool known(GroupId group, DomainId domain) const;

  const Topology& topology() const { return *topology_; }

 private:
  struct ScopeState {
    std::vector<std::int32_t> live;   // by DomainId: members that stay
    std::vector<std::int32_t> extra;  // by DomainId: members that do not exist yet
    std::int32_t live_domains = 0;
    std::int32_t all_domains = 0;  // ghosts included
  };
  // A key with at most so many domains has its counts in one flat array, others (host names) in rows.
  static constexpr std::size_t kDenseDomains = 64;

  // All that moving a pod asks of a group, in one small piece: there are tens of thousands of groups.
  struct OfGroup {
    std::uint32_t first = 0;  // the key's first domain: in dense_, or as a row of hosts_
    std::int32_t total = 0;
    ScopeId scope;
    KeyId key;
    Group::Kind kind = Group::Kind::Spread;
    bool dense = false;
  };
  static std::uint32_t place(const OfGroup& of_group, DomainId domain) {
    assert(domain.valid());
    return of_group.first + domain.value;
  }

  bool takes_part(const OfGroup& of_group, SiteId site) const {
    return topology_->scopes()[of_group.scope.index()].member[site.index()] != 0;
  }
  void change_histogram(GroupId group, std::int32_t before, std::int32_t now);

  const Topology* topology_;  // never null
  std::vector<OfGroup> of_group_;
  std::vector<std::int32_t> dense_;
  HostCounts hosts_;
  std::vector<ScopeState> scopes_;
  // For spread groups in rows: how many domains have exactly n pods (index n ≥ 1). By GroupId; empty for the others.
  std::vector<std::vector<std::int32_t>> histogram_;
};

}  // namespace tamp::fit
