// A pod's spec, or a pod template's: what the scheduler looks at, folded into a PodSpec.
#pragma once

#include "codec/decoder.h"
#include "codec/pod_requests.h"
#include "model/pod.h"

namespace tamp::codec {

PodSpec decode_pod_spec(Decoder& d, Value spec, Value status, PodOrigin origin);

struct PodTemplate {
  PodSpecId spec;
  LabelSetId labels;
};
// `template` of a controller's spec, as its pods will look once created.
PodTemplate decode_pod_template(Decoder& d, Value parent);

}  // namespace tamp::codec
