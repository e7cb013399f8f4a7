// The volumes of a pod that matter to where it can run or whether it can move; config maps, secrets and the like are
// left out.
#pragma once

#include <vector>

#include "core/pod.h"
#include "wire/decoder.h"

namespace tamp::wire {

std::vector<PodVolume> decode_pod_volumes(Decoder& d, Value spec, Symbol pod_name);

}  // namespace tamp::wire
