// What a pod asks of a node in total, by the scheduler's rule. Defaults that the API server fills into pods (requests from
// limits, above all) are filled in here, too: templates and manifests do not have them yet, and to a stored pod they
// change nothing.
#pragma once

#include "core/resources.h"
#include "wire/decoder.h"

namespace tamp::wire {

struct PodRequests {
  // What the pod holds where it runs: while it is resized in place that may be more than its spec says. Names kPods (1).
  ResourceList held;
  // What a new pod of the same spec asks for; empty where that is the same.
  ResourceList fresh;
};

// `status` is absent for a template.
PodRequests decode_requests(Decoder& d, Value spec, Value status);

}  // namespace tamp::wire
