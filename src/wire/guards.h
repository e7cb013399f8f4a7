// `guards` and `reap` of a TemperPolicy. What is not set keeps its default.
#pragma once

#include "core/guards.h"
#include "wire/decoder.h"

namespace tamp::wire {

GuardSettings decode_guards(Decoder& d, Value spec);
ReapSettings decode_reap(Decoder& d, Value spec);

}  // namespace tamp::wire
