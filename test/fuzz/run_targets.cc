#include "fuzz/run_targets.h"

#include <algorithm>
#include <string>

#include "documents/marks.h"
#include "documents/run_document.h"
#include "fuzz/require.h"
#include "run/advance.h"
#include "situation/resolve_settings.h"

namespace tamp::fuzz {
namespace {

void note(std::string_view bytes) {
  const auto note = documents::read_note(bytes);
  if (!note) return;
  require(!note->runs.empty(), "a note names a run");
  require(std::is_sorted(note->runs.begin(), note->runs.end()), "its runs are in order");
  require(documents::read_note(documents::write_note(*note)) == note, "a note reads back");
}

// Whatever a journal says, a step does not break on it, and keeps to the order of phases.
void step(run::Run run) {
  const Cluster cluster;
  const Settings settings = situation::resolve_settings(cluster, {});
  const run::Limits limits;
  const Observations none;
  const run::Sight sight{run.entered() + Duration::seconds(1),
                         cluster,
                         "",
                         settings,
                         limits,
                         none,
                         {},
                         std::nullopt,
                         NodeId(),
                         true,
                         true,
                         false,
                         {},
                         {}};
  const std::size_t before = run.phases.size();
  run::resume(run);
  const run::Run after = run::advance(run, sight).run;
  for (std::size_t i = std::max<std::size_t>(1, before); i < after.phases.size(); ++i)
    require(run::may_follow(after.phases[i - 1].phase, after.phases[i].phase), "phases follow each other");
  require(!run::advance(after, sight).changed, "the same sight changes nothing more");
}

}  // namespace

void run(std::string_view bytes) {
  note(bytes);
  const auto run = documents::read_run(std::string(bytes));
  if (!run) return require(!run.error().message.empty(), "an error has a message");
  const std::string status = documents::write_status(*run);
  const auto back = documents::read_run(R"({"metadata":{"name":"r"},"status":)" + status + "}");
  // A run that never began has no phases, and its status says so.
  require(back.ok(), "a status reads back: " + (back ? "" : back.error().message));
  require(documents::write_status(*back) == status, "and says the same");
  step(*run);
}

}  // namespace tamp::fuzz
