#include "sim/campaign/campaign.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace tamp::sim {
namespace {

// What happened on the way: kinds of fault that no trouble stands for, or that a trouble only makes possible, and rules that had
// something to judge.
constexpr auto kBranches = std::to_array<std::string_view>({
    "F1 crash before a write",
    "F1 crash after a write",
    "F1 crash after an answer",
    "F2 stale list",
    "F2 list that goes back",
    "F3 watch cut",
    "F4 410",
    "F4 watch stalled",
    "F5 lost after",
    "F6 409",
    "F7 5xx",
    "F7 429 of fairness",
    "F7 429 of a budget",
    "F7 500 of two budgets",
    "F8 F9 403",
    "F18 replaced under the same name",
    "F25 foreign marks",
    "F36 late trip",
    "a person's cordon",
    "claim created",
    "sweep",
    "left empty and cordoned",
    "reason NotReaped",  // F27
    "availability judged",
    "audit records judged",
    "L3 judged",
    "L4 L5 judged",
    "eviction under pressure guards",
    "tripped pressure",
    "tripped telemetry",
    "tripped survivor",
    "tripped kill-switch",
});

}  // namespace

FailingSeed shrink(Stock& stock, std::uint64_t seed, const CampaignOptions& options,
                   const Violation& violation) {
  FailingSeed failing{seed, options.without, violation};
  const Recipe recipe = make_recipe(seed);
  bool smaller = true;
  while (smaller) {
    smaller = false;
    for (std::size_t i = 0; i < recipe.troubles.size(); ++i) {
      if (failing.without.contains(i)) continue;
      TrialOptions less{options.mutant, failing.without, false};
      less.without.insert(i);
      const TrialResult result = run_trial(stock, recipe, less);
      if (result.violations.empty() || result.violations.front().rule != violation.rule) continue;
      failing.without = less.without;
      failing.violation = result.violations.front();
      smaller = true;
    }
  }
  return failing;
}

CampaignResult run_campaign(Stock& stock, const CampaignOptions& options) {
  CampaignResult campaign;
  for (std::uint64_t seed = options.first; seed <= options.last; ++seed) {
    const Recipe recipe = make_recipe(seed);
    const TrialResult result = run_trial(stock, recipe, {options.mutant, options.without, options.verbose});
    ++campaign.trials;
    campaign.virtual_hours += result.lived.to_seconds() / 3600;
    campaign.coverage.add(result.coverage);
    campaign.digest = campaign.digest * 0x100000001b3u ^ result.digest;
    if (options.verbose) {
      fmt::print("{}", describe(recipe));
      for (const std::string& deed : result.deeds) fmt::print("{}\n", deed);
      fmt::print("{}", result.log);
      fmt::print("seed {}: lived {}, {} runs, digest {:016x}\n", seed, format_duration(result.lived),
                 result.runs, result.digest);
      for (const Violation& violation : result.violations)
        fmt::print("  {} {} {}\n", format_rfc3339(violation.at), violation.rule, violation.text);
    }
    if (result.violations.empty()) continue;
    campaign.failing.push_back(shrink(stock, seed, options, result.violations.front()));
    if (campaign.failing.size() >= options.stop_after) break;
  }
  return campaign;
}

std::vector<std::string> never_reached(const Coverage& coverage) {
  std::vector<std::string> missing;
  for (const auto& [from, to] : phase_steps())
    if (std::string step = fmt::format("{} > {}", from, to); coverage.of(step) == 0)
      missing.push_back(std::move(step));
  for (const std::string_view name : kBranches)
    if (coverage.of(name) == 0) missing.emplace_back(name);
  for (std::size_t i = 0; i < kTroubleKinds; ++i)
    if (const std::string_view name = name_of(static_cast<TroubleKind>(i)); coverage.of(name) == 0)
      missing.emplace_back(name);
  return missing;
}

std::string replay_command(const FailingSeed& failing, Mutant mutant) {
  std::string command = fmt::format("tamp-sim --seeds {}..{} --verbose", failing.seed, failing.seed);
  if (mutant != Mutant::None) command += fmt::format(" --mutant {}", name_of(mutant));
  std::string list;
  for (const std::size_t trouble : failing.without)
    list += (list.empty() ? "" : ",") + std::to_string(trouble);
  if (!list.empty()) command += " --without " + list;
  return command;
}

}  // namespace tamp::sim
