// Nodes that are still settling after a pod came or went. The simulation asks too: such nodes may not take pods.
#pragma once

#include "gates/candidate.h"

namespace tamp::gates {

// "Consolidation Grace Period": the node gives no pods and takes none for a while after any pod event. False where the
// period is `Never` or the pool is static. True where the time of the last event is not known.
bool within_grace_period(const situation::Context& context, NodeId node);

// Karpenter's rule for destinations since 1.14: its pool's consolidateAfter has not yet passed since the last pod event.
// Only for `--compat`; pools that are static, not ready or going do not hold their nodes back.
bool under_consolidate_after(const situation::Context& context, NodeId node);

}  // namespace tamp::gates
