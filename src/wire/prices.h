// Prices in OpenCost's CSV format, laid over those of the catalogue. The columns are EndTimestamp, InstanceID, Region,
// AssetClass, InstanceIDField, InstanceType, MarketPriceHourly and Version, in any order, found by the header line.
//
// Only rows of asset class `node` count. A row is for
//  - single nodes, if it has an InstanceID: those whose InstanceIDField (metadata.name, spec.providerID or
//    metadata.labels.<key>) is that id, a provider id also by its last part. Case does not matter, as in OpenCost;
//  - an instance type, if it has only an InstanceType, or if InstanceIDField is the instance-type label: it overrides
//    the type's on-demand offerings and prices on-demand nodes of types that the catalogue lacks. Spot prices are not
//    touched: the format has no column that would say which is which.
// A Region holds a row to nodes of that region and to offerings in zones whose name starts with it. Later rows win.
#pragma once

#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/result.h"
#include "wire/snapshot.h"

namespace tamp::wire {

// REQUIRES: cluster.finish() was called.
Status apply_prices(Cluster& cluster, const Input& input, std::vector<std::string>& warnings);

}  // namespace tamp::wire
