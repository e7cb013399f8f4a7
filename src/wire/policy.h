#pragma once

#include "core/policy.h"
#include "wire/decoder.h"

namespace tamp::wire {

// temper.codes/v1alpha1 TemperPolicy: its settings, as written.
TemperPolicy decode_policy(Decoder& d, std::string_view name);

}  // namespace tamp::wire
