// Which setting applies: lays the layers over each other in the order TemperPolicy entry for the pool, TemperPolicy
// default, NodePool, flag or environment, built-in. `--compat` overrides every setting that Karpenter does not know.
#pragma once

#include "model/cluster.h"
#include "model/settings.h"

namespace tamp::codec {

Settings resolve_settings(const Cluster& cluster, const FlagSettings& flags);

}  // namespace tamp::codec
