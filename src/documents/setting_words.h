// Settings as people write them: words and durations.
#pragma once

#include <string>
#include <string_view>

#include "core/pool.h"
#include "core/time.h"

namespace tamp::documents {

inline std::string_view word(ConsolidationPolicy policy) {
  switch (policy) {
    case ConsolidationPolicy::WhenEmpty:
      return "WhenEmpty";
    case ConsolidationPolicy::WhenEmptyOrUnderutilized:
      return "WhenEmptyOrUnderutilized";
    case ConsolidationPolicy::Balanced:
      break;
  }
  return "Balanced";
}

inline std::string text(const DurationOrNever& value) {
  return value.value ? format_duration(*value.value) : "Never";
}

}  // namespace tamp::documents
