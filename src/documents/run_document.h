// A run as a ConsolidationRun object, and back. The status is under 256 KiB whatever the run did.
#pragma once

#include <string>

#include "base/result.h"
#include "execute/run.h"

namespace tamp::execute {

// From the whole object, as the API server prints it. A status that makes no sense is an error: a journal that cannot be read must
// not be guessed.
tamp::Result<Run> read_run(const std::string& object);
// The status, as JSON with canonical bytes: equal runs give equal texts.
std::string write_status(const Run& run);

}  // namespace tamp::execute
