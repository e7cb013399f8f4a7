// The flags, each described once: the parser, the environment and the help text read this list.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cli/options.h"
#include "core/result.h"
#include "core/settings.h"

namespace tamp::cli {

// Which commands take a flag.
enum : std::uint32_t {
  kPlan = 1,
  kExplain = 2,
  kFits = 4,
  kController = 8,
  kSnapshot = 16,
  kDemo = 32,
  kStatus = 1 << 6,
  kApprove = 1 << 7,
  kAbort = 1 << 8,
  kPause = 1 << 9,
  kResume = 1 << 10,
  kRuns = 1 << 11,
  kRun = 1 << 12,
  kExport = 1 << 13,
  kAudit = 1 << 14,
  kSimulate = 1 << 15,
  kOperations = kStatus | kApprove | kAbort | kPause | kResume | kRuns | kRun | kExport | kAudit,
  kQuestions = kPlan | kExplain | kFits,
  kDecisions = kPlan | kExplain,
  kDecides = kDecisions | kController,
  kLive = kQuestions | kController | kSnapshot | kOperations,
};

struct Flag {
  const char* name;         // "--instance-types"
  const char* letter;       // "-f", or "" for none
  const char* value;        // "FILE"; "" for a switch
  const char* environment;  // "INSTANCE_TYPES"; "" for none
  const char* help;
  std::uint32_t commands;
  bool repeats;
  // Checks one value and keeps it. `source` says flag or environment.
  Status (*apply)(Options& options, const std::string& value, SettingSource source);

  bool is_switch() const { return value[0] == '\0'; }
};

std::span<const Flag> flags();

}  // namespace tamp::cli
