#include "sim/scenario/scenario.h"

namespace tamp::text {
extern const std::string_view scenario_slo_fleet, scenario_anti_affinity, scenario_off_peak,
    scenario_mixed_200, scenario_black_friday;
}  // namespace tamp::text

namespace tamp::world {

const std::vector<BuiltinScenario>& builtin_scenarios() {
  static const std::vector<BuiltinScenario> kAll = {
      {"slo-fleet", text::scenario_slo_fleet},       {"anti-affinity", text::scenario_anti_affinity},
      {"off-peak", text::scenario_off_peak},         {"mixed-200", text::scenario_mixed_200},
      {"black-friday", text::scenario_black_friday},
  };
  return kAll;
}

}  // namespace tamp::world
