// Defaults of pods, of the pod templates of workloads, and of the parts that other kinds share with them.
#pragma once

#include "sim/api/object.h"

namespace tamp::world::api {

// Of a pod's spec and of a template's alike. Idempotent.
void set_pod_spec_defaults(Tree& spec);
// Those of a pod alone (requests from limits, service links, host ports) and then those of its spec.
void set_pod_defaults(Tree& pod);
// A template that is not there stays so.
void set_template_defaults(Tree& owner_spec);
void set_claim_spec_defaults(Tree& spec);
// Amounts finer than a thousandth are rounded up to one.
void round_resources(Tree* resources);

// Sets the member if there is none, or the empty value, which a writer in Go cannot tell from none.
void set_if_empty(Tree& object, std::string_view key, std::string_view value);
void set_if_zero(Tree& object, std::string_view key, std::int64_t value);
void set_if_missing(Tree& object, std::string_view key, Tree value);

}  // namespace tamp::world::api
