#pragma once

#include "wire/decoder.h"

namespace tamp::wire {

void decode_node(Decoder& d, Symbol name);
// karpenter.sh/v1 NodeClaim
void decode_node_claim(Decoder& d, Symbol name);

}  // namespace tamp::wire
