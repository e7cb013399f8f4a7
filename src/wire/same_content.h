// Do two JSON values mean the same? The order of an object's fields does not matter, and a field that is null is the same as
// one that is not there.
#pragma once

#include "wire/value.h"

namespace tamp::wire {

bool same_content(Value a, Value b);

}  // namespace tamp::wire
