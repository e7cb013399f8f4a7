// Which setting applies: lays the layers over each other in the order TemperPolicy entry for the pool, TemperPolicy
// default, NodePool, flag or environment, built-in. `--compat` overrides every setting that Karpenter does not know.
// Of several entries for a pool, one with its exact name comes before patterns, and an earlier one before a later one;
// each field is taken from the first that sets it.
#pragma once

#include "core/cluster.h"
#include "core/settings.h"

namespace tamp::situation {

Settings resolve_settings(const Cluster& cluster, const FlagSettings& flags);

}  // namespace tamp::situation
