// A proven plan for people: who goes, who stays, every check with its numbers; or what was refused and why.
#pragma once

#include <string>

#include "explain/style.h"
#include "proof/proof.h"

namespace tamp::explain {

std::string proposal_page(const proof::Proposal& proposal, const Style& style);

}  // namespace tamp::explain
