// What a pod asks of a node in total, by the scheduler's rule.
#pragma once

#include "codec/decoder.h"
#include "model/resources.h"

namespace tamp::codec {

enum class LimitsAsRequests : std::uint8_t {
  No,   // a stored pod: the API server has already filled in requests from limits
  Yes,  // a template: the pods made from it will get them filled in
};

// `status` is absent for a template. Always names kPods (1).
ResourceList decode_requests(Decoder& d, Value spec, Value status, LimitsAsRequests limits);

}  // namespace tamp::codec
