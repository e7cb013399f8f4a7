#include "fit/topology_counts.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace tamp::fit {

TopologyCounts::TopologyCounts(const Topology& topology, std::span<const Standing> standing)
    : topology_(&topology) {
  std::size_t groups = topology.groups().size();
  of_group_.resize(groups);
  histogram_.resize(groups);
  std::vector<std::uint32_t> first_row;  // by KeyId
  std::uint32_t rows = 0;
  for (const TopologyKey& key : topology.keys()) {
    first_row.push_back(rows);
    if (key.domains.size() > kDenseDomains) rows += static_cast<std::uint32_t>(key.domains.size());
  }
  std::uint32_t dense = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    const Group& group = topology.groups()[g];
    const auto domains = static_cast<std::uint32_t>(topology.keys()[group.key.index()].domains.size());
    OfGroup& of_group = of_group_[g];
    of_group.scope = group.scope;
    of_group.key = group.key;
    of_group.kind = group.kind;
    of_group.dense = domains <= kDenseDomains;
    if (of_group.dense) {
      of_group.first = dense;
      dense += domains;
      continue;
    }
    of_group.first = first_row[group.key.index()];
    if (group.kind == Group::Kind::Spread) histogram_[g].assign(4, 0);
  }
  dense_.assign(dense, 0);
  std::vector<HostCounts::Standing> in_rows;
  in_rows.reserve(standing.size());
  for (const Standing& s : standing) {
    OfGroup& of_group = of_group_[s.group.index()];
    if (!takes_part(of_group, s.site)) continue;
    const std::uint32_t at = place(of_group, topology.domain(of_group.key, s.site));
    ++of_group.total;
    if (of_group.dense)
      ++dense_[at];
    else
      in_rows.push_back({at, s.group.value});
  }
  hosts_ = HostCounts(rows, in_rows);
  for (const HostCounts::Entry& entry : hosts_.entries())
    change_histogram(GroupId(entry.group), 0, entry.count);
  scopes_.resize(topology.scopes().size());
  for (std::size_t s = 0; s < scopes_.size(); ++s) {
    const Scope& scope = topology.scopes()[s];
    ScopeState& state = scopes_[s];
    state.live.assign(scope.sites_in.begin(), scope.sites_in.end());
    state.extra.assign(state.live.size(), 0);
    state.live_domains = state.all_domains = static_cast<std::int32_t>(scope.domains_present);
  }
}

void TopologyCounts::add(GroupId group, DomainId domain, std::int32_t delta) {
  OfGroup& of_group = of_group_[group.index()];
  of_group.total += delta;
  if (of_group.dense) {
    dense_[place(of_group, domain)] += delta;
    return;
  }
  const std::int32_t now = hosts_.change(place(of_group, domain), group.value, delta);
  change_histogram(group, now - delta, now);
}

void TopologyCounts::add_at(GroupId group, SiteId site, std::int32_t delta) {
  const OfGroup& of_group = of_group_[group.index()];
  if (takes_part(of_group, site)) add(group, topology_->domain(of_group.key, site), delta);
}

void TopologyCounts::change_histogram(GroupId group, std::int32_t before, std::int32_t now) {
  auto& histogram = histogram_[group.index()];
  if (histogram.empty()) return;
  std::size_t top = static_cast<std::size_t>(std::max(now, before));
  if (histogram.size() <= top) histogram.resize(top + 4);
  if (before > 0) --histogram[static_cast<std::size_t>(before)];
  if (now > 0) ++histogram[static_cast<std::size_t>(now)];
}

std::int32_t TopologyCounts::count(GroupId group, DomainId domain) const {
  const OfGroup& of_group = of_group_[group.index()];
  return of_group.dense ? dense_[place(of_group, domain)] : hosts_.get(place(of_group, domain), group.value);
}

void TopologyCounts::change_presence(SiteId site, std::int32_t delta) {
  for (std::size_t s = 0; s < scopes_.size(); ++s) {
    const Scope& scope = topology_->scopes()[s];
    if (!scope.member[site.index()]) continue;
    ScopeState& state = scopes_[s];
    std::int32_t& live = state.live[topology_->domain(scope.key, site).index()];
    if (delta > 0 && live == 0) ++state.live_domains;
    live += delta;
    if (delta < 0 && live == 0) --state.live_domains;
  }
}

void TopologyCounts::join(ScopeId scope, DomainId domain, std::int32_t delta) {
  ScopeState& state = scopes_[scope.index()];
  std::size_t d = domain.index();
  if (state.extra.size() <= d) {
    state.extra.resize(d + 1);
    state.live.resize(d + 1);
  }
  bool ghost_only = d < topology_->scopes()[scope.index()].sites_in.size() &&
                    topology_->scopes()[scope.index()].sites_in[d] > 0;
  bool had = state.live[d] > 0;
  if (delta > 0 && !had) {
    ++state.live_domains;
    if (!ghost_only) ++state.all_domains;
  }
  state.live[d] += delta;
  state.extra[d] += delta;
  if (delta < 0 && state.live[d] == 0) {
    --state.live_domains;
    if (!ghost_only) --state.all_domains;
  }
}

std::int32_t TopologyCounts::least(GroupId group, Existence existence) const {
  const Group& g = topology_->group(group);
  const ScopeState& state = scopes_[g.scope.index()];
  const Scope& scope = topology_->scopes()[g.scope.index()];
  std::int32_t domains = existence == Existence::WithGhosts ? state.all_domains : state.live_domains;
  if (g.min_domains && domains < *g.min_domains) return 0;
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  if (domains == 0) return least;

  if (!of_group_[group.index()].dense) {
    const auto& histogram = histogram_[group.index()];
    std::int32_t nonzero = 0;
    for (std::int32_t n : histogram) nonzero += n;
    if (nonzero < domains) return 0;
    for (std::size_t n = 1; n < histogram.size(); ++n)
      if (histogram[n] > 0) return static_cast<std::int32_t>(n);
    return 0;
  }
  for (std::size_t d = 0; d < state.live.size(); ++d) {
    bool ghost = existence == Existence::WithGhosts && d < scope.sites_in.size() && scope.sites_in[d] > 0;
    if (state.live[d] > 0 || ghost) least = std::min(least, count(group, DomainId(d)));
  }
  return least;
}

bool TopologyCounts::known(GroupId group, DomainId domain) const {
  const Group& g = topology_->group(group);
  if (topology_->offers(g, domain)) return true;
  // Karpenter never learns the nodes' domains for repulsions.
  if (g.kind != Group::Kind::Repulsion && scopes_[g.scope.index()].live[domain.index()] > 0) return true;
  return count(group, domain) > 0;
}

}  // namespace tamp::fit
