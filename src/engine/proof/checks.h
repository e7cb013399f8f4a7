// The conditions of a plan, one file each. All must pass; each answers with numbers, and none of them stops the others.
#pragma once

#include <vector>

#include "proof/motion.h"
#include "proof/proof.h"

namespace tamp::proof {

namespace checks {

// What was measured.
Check measurements(const Motion& motion);
Check protected_pressure(const Motion& motion);
Check predicted_usage(const Motion& motion);
// What is asked for.
Check critical_whole_core(const Motion& motion);
Check placement(const Motion& motion);
Check scheduler_robust(const Motion& motion);
Check survive_one_more(const Motion& motion);
// What stands in the way.
Check pdb(const Motion& motion);
Check blockers(const Motion& motion);
Check no_pending_pods(const Motion& motion);
Check stabilized(const Motion& motion);
Check budget(const Motion& motion);
Check reap_feasible(const Motion& motion);

}  // namespace checks

// All that are in force, in the order above.
std::vector<Check> run_checks(const Motion& motion);

inline Check passed(std::string_view name, std::string detail) {
  return {std::string(name), true, std::move(detail), ""};
}
inline Check failed(std::string_view name, std::string detail, std::string subject = "") {
  return {std::string(name), false, std::move(detail), std::move(subject)};
}

}  // namespace tamp::proof
