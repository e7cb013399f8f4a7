// The NodeClaim of a replacement: what Karpenter would make of the pool's template, pinned to the plan's choice and protected from its
// birth on. Karpenter copies the annotations to the node, so that its own emptiness rule never sees it unprotected.
#pragma once

#include <string>

#include "core/result.h"
#include "run/run.h"
#include "wire/tree.h"

namespace tamp::documents {

// `pool` is the live NodePool, just read. An error if it is not what the plan meant, or has no template.
// REQUIRES: run.replacement and run.claim.
Result<std::string> write_claim(const run::Run& run, const wire::Tree& pool);

}  // namespace tamp::documents
