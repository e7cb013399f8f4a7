// world_hour [SCENARIO] [SEED]: how long an hour of a simulated cluster takes on one core, in virtual time. Prints seconds of
// the processor, events and a digest of the story, which is the same for the same scenario and seed on every machine.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "core/sha256.h"
#include "sim/world/staging.h"

namespace {

// Of the processor, so that what else runs on the machine does not count.
double seconds_since(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tamp;
  using namespace tamp::world;
  const std::string name = argc > 1 ? argv[1] : "mixed-200";
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  for (const BuiltinScenario& builtin : builtin_scenarios()) {
    if (builtin.name != name) continue;
    const auto scenario = read_scenario(std::string(builtin.text));
    if (!scenario.ok()) return 1;
    const std::clock_t begin = std::clock();
    auto world = make_world(*scenario, seed);
    if (!world.ok()) {
      std::fprintf(stderr, "%s\n", world.error().message.c_str());
      return 1;
    }
    const double staged = seconds_since(begin);
    const std::clock_t start = std::clock();
    world->run_until(scenario->start + Duration::hours(1));
    const double hour = seconds_since(start);
    std::string story;
    for (const StoryLine& line : world->story().lines()) story += to_text(line) + "\n";
    std::printf(
        "%s, seed %llu: staged in %.2f s, an hour in %.2f s, %zu lines of story, %llu writes, digest %.16s\n",
        name.c_str(), static_cast<unsigned long long>(seed), staged, hour, world->story().lines().size(),
        static_cast<unsigned long long>(world->api().revision()), sha256_hex(story).c_str());
    return 0;
  }
  std::fprintf(stderr, "there is no scenario %s\n", name.c_str());
  return 2;
}
