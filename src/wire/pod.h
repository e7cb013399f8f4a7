#pragma once

#include "wire/decoder.h"

namespace tamp::wire {

// Adds the pod to the cluster, and its binding to Cluster::bindings. `ns` and `name` are the pod's own.
void decode_pod(Decoder& d, Symbol ns, Symbol name);

}  // namespace tamp::wire
