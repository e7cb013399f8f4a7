// Builds a NodePool. Unless told otherwise it is ready and sets nothing of its own: built-in defaults hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "support/pod_builder.h"

namespace tamp::test {

// "3" or "20%"; anything else makes an invalid budget, as codec/ would.
Budget make_budget(std::string_view nodes);

class PoolBuilder {
 public:
  PoolBuilder(Cluster& cluster, std::string_view name);

  PoolBuilder& budget(std::string_view nodes) { return budget(make_budget(nodes)); }
  PoolBuilder& budget(Budget budget);
  PoolBuilder& policy(ConsolidationPolicy policy);
  PoolBuilder& consolidate_after(Duration d);
  PoolBuilder& never_consolidate();
  PoolBuilder& savings_threshold(double dollars);
  PoolBuilder& grace_period(Duration d);

  PoolBuilder& weight(std::int32_t value);
  PoolBuilder& replicas(std::int64_t count);  // a static pool
  PoolBuilder& label(std::string_view key, std::string_view value);
  PoolBuilder& taint(std::string_view key, std::string_view value = "",
                     TaintEffect effect = TaintEffect::NoSchedule);
  PoolBuilder& startup_taint(std::string_view key, std::string_view value = "",
                             TaintEffect effect = TaintEffect::NoSchedule);
  PoolBuilder& requirement(std::string_view key, SelectorOp op, Values values = {},
                           std::optional<std::int32_t> min_values = {});
  PoolBuilder& limit(std::string_view resource, std::int64_t amount);  // cpu in milli
  PoolBuilder& limit_nodes(std::int64_t count);
  PoolBuilder& not_ready();
  PoolBuilder& deleting(Time since = kNow);

  NodePool& pool() { return pool_; }
  void build_into(Cluster& cluster) const { cluster.pools.push_back(pool_); }

 private:
  Symbol word(std::string_view text) { return cluster_->symbols.intern(text); }

  Cluster* cluster_;
  NodePool pool_;
};

}  // namespace tamp::test
