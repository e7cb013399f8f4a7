// A pod's spec, or a pod template's: what the scheduler looks at, folded into a PodSpec.
#pragma once

#include "core/pod.h"
#include "wire/decoder.h"

namespace tamp::wire {

// `status` is absent for a template, which is read as the pods that will be made from it.
PodSpec decode_pod_spec(Decoder& d, Value spec, Value status);

struct PodTemplate {
  PodSpecId spec;
  LabelSetId labels;
};
// `template` of a controller's spec, as its pods will look once created.
PodTemplate decode_pod_template(Decoder& d, Value parent);

}  // namespace tamp::wire
