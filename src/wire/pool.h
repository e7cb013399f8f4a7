#pragma once

#include "wire/decoder.h"

namespace tamp::wire {

// karpenter.sh/v1 NodePool
void decode_node_pool(Decoder& d, Symbol name);

}  // namespace tamp::wire
