#pragma once

#include "codec/decoder.h"
#include "model/policy.h"

namespace tamp::codec {

// temper.codes/v1alpha1 TemperPolicy: its settings, as written.
TemperPolicy decode_policy(Decoder& d, std::string_view name);

}  // namespace tamp::codec
