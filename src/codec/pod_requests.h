// What a pod asks of a node in total, by the scheduler's rule.
#pragma once

#include "codec/decoder.h"
#include "model/resources.h"

namespace tamp::codec {

enum class PodOrigin : std::uint8_t {
  Stored,    // a pod: the API server has filled in its defaults
  Template,  // the pods made from it will get them: requests from limits, host ports from container ports
};

// `status` is absent for a template. Always names kPods (1).
ResourceList decode_requests(Decoder& d, Value spec, Value status, PodOrigin origin);

}  // namespace tamp::codec
