// A run as a ConsolidationRun object, and back. The status is under 256 KiB whatever the run did.
#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"
#include "run/run.h"

namespace tamp::documents {

// From the whole object, as the API server prints it. A status that makes no sense is an error: a journal that cannot be read must
// not be guessed.
tamp::Result<run::Run> read_run(const std::string& object);
// The status, as JSON with canonical bytes: equal runs give equal texts.
std::string write_status(const run::Run& run);
// How large that is.
std::size_t status_bytes(const run::Run& run);

}  // namespace tamp::documents
