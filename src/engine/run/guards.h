// The guards: between evictions, while settling, while waiting for the reap. Each is a small function that looks at one
// thing and says: fine, wait, or stop. Unknown is never fine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"
#include "run/sight.h"

namespace tamp::run {

enum class Signal : std::uint8_t { Fine, Wait, Stop };

struct GuardFinding {
  std::string_view
      guard;  // "pressure", "telemetry", "pending-replacement", "crash-loop", "survivor", "kill-switch",
              // "cluster-health", "watches", "application", "interference"
  Signal signal = Signal::Fine;
  std::string_view reason;  // of the run, if it stops for this: "PressureHigh"
  std::string message;      // with numbers
};

// The words of GuardFinding::guard, in order.
inline constexpr std::string_view kGuards[] = {
    "kill-switch", "watches",  "cluster-health",      "survivor",   "interference",
    "telemetry",   "pressure", "pending-replacement", "crash-loop", "application"};

// All findings that are not fine, in a fixed order; updates what the guards remember. The worst one counts.
std::vector<GuardFinding> look(Run& run, const Sight& sight);

}  // namespace tamp::run
