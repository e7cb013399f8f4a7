// The name of a plan: SHA-256 over everything that it depends on. The structure (who and what, as the API has it) is a digest of its
// own, made of parts, so that what drifted can be named.
#pragma once

#include <string>
#include <vector>

#include "proof/motion.h"
#include "proof/proof.h"

namespace tamp::proof {

// Each part by its name, in order of names.
std::vector<Part> structural_parts(const Motion& motion);
std::string structural_digest(const std::vector<Part>& parts);
// Of the structure and of the measurements as captured.
std::string plan_hash(const Motion& motion, const std::string& structure);

}  // namespace tamp::proof
