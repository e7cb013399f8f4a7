#include "proof/checks.h"

namespace tamp::proof {
namespace {

std::vector<Check> checks_of_measurements(const Motion& motion) {
  if (motion.evidence.measured)
    return {checks::measurements(motion), checks::protected_pressure(motion),
            checks::predicted_usage(motion)};
  std::vector<Check> off;
  for (const char* name : {"measurements", "protected-pressure", "predicted-usage"})
    off.push_back(passed(name, "off: planner Requests decides on requests alone"));
  return off;
}

}  // namespace

std::vector<Check> run_checks(const Motion& motion) {
  std::vector<Check> all = checks_of_measurements(motion);
  all.push_back(checks::critical_whole_core(motion));
  all.push_back(checks::placement(motion));
  all.push_back(checks::scheduler_robust(motion));
  if (motion.guards().survive_one_more) all.push_back(checks::survive_one_more(motion));
  all.push_back(checks::pdb(motion));
  all.push_back(checks::blockers(motion));
  all.push_back(checks::no_pending_pods(motion));
  all.push_back(checks::stabilized(motion));
  all.push_back(checks::budget(motion));
  all.push_back(checks::reap_feasible(motion));
  return all;
}

}  // namespace tamp::proof
