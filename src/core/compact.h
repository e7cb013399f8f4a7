// A cluster that has lived for long holds names, pod specs and label sets that nothing uses any more.
#pragma once

#include "core/cluster.h"

namespace tamp {

// The same cluster with nothing in its tables that no object refers to, and thus with other Symbols, ResourceIds,
// PodSpecIds and LabelSetIds; what is sorted by symbol is sorted anew. Objects keep their places. For clusters before and
// after finish() alike. Costs a walk through the cluster.
Cluster compacted(Cluster cluster);

}  // namespace tamp
