// A proven plan for people: who goes, who stays, every check with its numbers; or what was refused and why.
#pragma once

#include <string>

#include "explain/style.h"
#include "proof/proof.h"

namespace tamp::report {

std::string proposal_page(const prove::Proposal& proposal, const Style& style);

}  // namespace tamp::report
