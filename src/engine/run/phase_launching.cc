// Launching: the replacement is made, protected from its birth on, since an autoscaler would remove an empty node at once.
#include <fmt/format.h>

#include <algorithm>

#include "run/turn.h"

namespace tamp::run {
namespace {

constexpr Duration kClaimShows = Duration::seconds(30);

}  // namespace

void launch(Turn& turn) {
  Run& run = turn.run();
  const Signal signal = look_out(turn);
  if (run.phase != Phase::Launching) return;
  // Its name is the run's own, so the claim is found again whatever became of the answer.
  const Standing made = see_to(turn, MutationKind::CreateClaim, {{run.claim, run.claim_uid}});
  if (made.failed != nullptr)
    return give_up(turn, "LaunchFailed", fmt::format("NodeClaim {}: {}", run.claim, made.failed->message));
  if (turn.in_phase() > turn.limits().launch_within)
    return give_up(turn, "LaunchTimedOut",
                   fmt::format("NodeClaim {} was not ready within {}", run.claim,
                               format_duration(turn.limits().launch_within)));
  if (!made.over || !turn.trusted()) return;

  const NodeClaim* const claim = find_claim(turn.cluster(), run.claim, run.claim_uid);
  const Mutation* const creation = run.journal.last(MutationKind::CreateClaim, "", run.claim);
  // The watch of claims needs a moment to show what we have just made.
  if (claim == nullptr && creation != nullptr && creation->settled &&
      turn.now() - *creation->settled < kClaimShows)
    return;
  if (claim == nullptr || claim->deleted)
    return give_up(turn, "LaunchFailed", fmt::format("NodeClaim {} was removed again", run.claim));
  if (!claim->initialized.is_true() || !claim->node.valid()) return;
  const Node& node = turn.cluster().nodes[claim->node.index()];
  if (!node.ready.is_true() || signal != Signal::Fine) return;
  // From now on it is watched as any survivor, so its agent must have begun.
  if (run.pressure_guards) {
    const Observation* const seen = find_observation(turn.sight.observations, turn.cluster().text(node.name));
    if (seen == nullptr || turn.now() - seen->at > turn.limits().max_observation_age) return;
  }

  run.claim_node = turn.cluster().text(node.name);
  const Survivor survivor{run.claim_node, std::string(turn.cluster().text(node.uid))};
  if (std::find(run.survivors.begin(), run.survivors.end(), survivor) == run.survivors.end())
    run.survivors.push_back(survivor);
  enter(run, Phase::Protecting, turn.now(), "", "the survivors are kept from the autoscalers");
}

}  // namespace tamp::run
