#pragma once

#include "wire/decoder.h"

namespace tamp::codec {

void decode_node(Decoder& d, Symbol name);
// karpenter.sh/v1 NodeClaim
void decode_node_claim(Decoder& d, Symbol name);

}  // namespace tamp::codec
