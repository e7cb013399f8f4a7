#include "prove/checks.h"

namespace tamp::prove {

std::vector<Check> run_checks(const Motion& motion) {
  std::vector<Check> all = {checks::measurements(motion),    checks::protected_pressure(motion),
                            checks::predicted_usage(motion), checks::critical_whole_core(motion),
                            checks::placement(motion),       checks::scheduler_robust(motion)};
  if (motion.guards().survive_one_more) all.push_back(checks::survive_one_more(motion));
  all.push_back(checks::pdb(motion));
  all.push_back(checks::blockers(motion));
  all.push_back(checks::no_pending_pods(motion));
  all.push_back(checks::stabilized(motion));
  all.push_back(checks::budget(motion));
  all.push_back(checks::reap_feasible(motion));
  return all;
}

}  // namespace tamp::prove
