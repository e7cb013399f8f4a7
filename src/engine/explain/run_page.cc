#include "explain/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "explain/layout.h"
#include "explain/words.h"

namespace tamp::explain {
namespace {

using run::Mutation;
using run::MutationKind;
using run::MutationState;
using run::Phase;
using run::Run;

Ink ink_of(Phase phase) {
  if (phase == Phase::Succeeded) return Ink::Green;
  if (phase == Phase::RolledBack || phase == Phase::Aborting) return Ink::Red;
  return Ink::Cyan;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + printable(word);
  return out;
}

std::vector<std::string> victims(const Run& run) {
  std::vector<std::string> names;
  for (const run::Victim& victim : run.victims) names.push_back(victim.node);
  return names;
}

std::size_t left(const Run& run) {
  return static_cast<std::size_t>(std::count_if(run.moves.begin(), run.moves.end(),
                                                [](const auto& move) { return move.left.has_value(); }));
}

// How long each phase took; the last one until `now`, unless the run is over.
Duration length(const Run& run, std::size_t i, Time now) {
  if (i + 1 < run.phases.size()) return run.phases[i + 1].at - run.phases[i].at;
  return run::over(run.phase) ? Duration{} : now - run.phases[i].at;
}

std::string pressure(const run::PressurePeak& peak) {
  return fmt::format("cpu {}, memory {}, io {}", percent(peak.cpu), percent(peak.memory), percent(peak.io));
}

// Empty where no query was given.
std::string application(const run::ApplicationPeaks& peaks) {
  std::string out;
  const auto part = [&](std::string_view when, const std::optional<double>& value) {
    if (value) out += fmt::format("{}{} {:g}", out.empty() ? "" : "; ", when, *value);
  };
  part("before", peaks.before);
  part("during", peaks.during);
  part("after", peaks.after);
  return out;
}

std::string object_of(const Mutation& entry) {
  return printable(entry.ns.empty() ? entry.name : entry.ns + "/" + entry.name);
}

std::string outcome_of(const Mutation& entry) {
  std::string text(run::word(entry.state));
  if (!entry.reason.empty()) text += " (" + entry.reason + ")";
  if (entry.attempts > 1) text += fmt::format(", {} attempts", entry.attempts);
  if (!entry.message.empty() && entry.state != MutationState::Done) text += ": " + printable(entry.message);
  return text;
}

}  // namespace

std::string span(Duration time) {
  const std::int64_t s = std::max<std::int64_t>(0, time.ns / 1'000'000'000);
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 48 * 3600) return fmt::format("{}h{:02}m", s / 3600, s % 3600 / 60);
  return fmt::format("{}d", s / 86400);
}

std::string run_line(const Run& run, Time now) {
  std::string line = fmt::format("{}: {}", printable(run.name), run::word(run.phase));
  if (!run.reason.empty()) line += " (" + run.reason + ")";
  if (!run::over(run.phase)) line += " for " + span(now - run.entered());
  if (!run.moves.empty())
    line += fmt::format(", {} of {} have left", left(run), count(run.moves.size(), "pod", "pods"));
  if (!run.message.empty()) line += ": " + printable(run.message);
  return line;
}

std::string runs_page(std::vector<Run> runs, Time now, const Style& style) {
  if (runs.empty()) return "No runs: nothing was approved yet.\n";
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return std::tie(b.approved_at, a.name) < std::tie(a.approved_at, b.name);
  });
  Table table({Align::Left, Align::Left, Align::Left, Align::Left, Align::Right, Align::Right, Align::Left},
              0);
  table.header({"RUN", "PHASE", "REASON", "PLAN", "PODS", "AGE", "VICTIMS"});
  for (const Run& run : runs)
    table.row({{printable(run.name), Ink::Bold},
               {std::string(run::word(run.phase)), ink_of(run.phase)},
               {run.reason.empty() ? "-" : printable(run.reason)},
               {printable(run.plan_hash.substr(0, 12)), Ink::Dim},
               {run.moves.empty() ? "-" : fmt::format("{}/{}", left(run), run.moves.size())},
               {span(now - run.approved_at)},
               {run.victims.empty() ? "-" : joined(victims(run))}});
  return table.render(style);
}

std::string run_page(const Run& run, Time now, const Style& style) {
  std::string out = paint(style, Ink::Bold, printable(run.name)) + "  " +
                    paint(style, ink_of(run.phase), run::word(run.phase));
  if (!run.reason.empty()) out += "  " + printable(run.reason);
  out += "\n";
  if (!run.message.empty()) out += printable(run.message) + "\n";
  out += fmt::format("\nPlan      {}{}\n", printable(run.plan_hash),
                     run.pressure_guards ? "" : "  (decided on requests: the pressure guards are off)");
  out += fmt::format("Approved  {} by {}{}\n", format_rfc3339(run.approved_at), printable(run.approved_by),
                     run.source.empty() ? "" : " (" + printable(run.source) + ")");
  out += "Victims   " + joined(victims(run)) + "\n";
  std::vector<std::string> survivors;
  for (const run::Survivor& survivor : run.survivors) survivors.push_back(survivor.node);
  out += "Survivors " + joined(survivors) + "\n";
  if (run.replacement)
    out += fmt::format("Replaced  by NodeClaim {} of pool {}{}\n", printable(run.claim),
                       printable(run.replacement->pool),
                       run.claim_node.empty() ? "" : ", node " + printable(run.claim_node));
  out += fmt::format("Nodes     {} before, {} now; predicted {}, achieved {}; {}\n", run.outcome.nodes_before,
                     run.outcome.nodes_after, per_hour(run.outcome.predicted_savings),
                     per_hour(run.outcome.achieved_savings),
                     count(static_cast<std::size_t>(run.outcome.evictions), "eviction", "evictions"));
  if (run.pressure_guards)
    out += fmt::format("Pressure  before {}; during {}; after {}\n", pressure(run.guards.before),
                       pressure(run.guards.during), pressure(run.guards.after));
  if (const std::string own = application(run.guards.application); !own.empty())
    out += "App       own signal, at most: " + own + "\n";
  if (!run.guards.tripped.empty()) out += "Guard     " + printable(run.guards.tripped) + " tripped\n";
  if (!run.guards.late_trip.empty())
    out += "Guard     " + printable(run.guards.late_trip) + " tripped after the nodes were gone\n";

  Table phases({Align::Left, Align::Left, Align::Right, Align::Left}, 0);
  phases.header({"PHASE", "SINCE", "FOR", "WHY"});
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const Duration took = length(run, i, now);
    phases.row({{std::string(run::word(run.phases[i].phase)), ink_of(run.phases[i].phase)},
                {format_rfc3339(run.phases[i].at)},
                {took.ns > 0 ? span(took) : "-"},
                {printable(run.phases[i].reason)}});
  }
  out += "\n" + phases.render(style);
  if (run.journal.entries.empty()) return out;
  Table entries({Align::Right, Align::Left, Align::Left, Align::Left}, 0);
  entries.header({"#", "CHANGE", "OBJECT", "CAME OF IT"});
  for (const Mutation& entry : run.journal.entries)
    entries.row({{std::to_string(entry.id), Ink::Dim},
                 {std::string(run::word(entry.kind))},
                 {object_of(entry)},
                 {outcome_of(entry), entry.state == MutationState::Done ? Ink::Plain : Ink::Yellow}});
  return out + "\n" + entries.render(style);
}

std::string phase_log(const Run& run) {
  std::string out;
  for (const run::PhaseEntry& entry : run.phases)
    out +=
        fmt::format("{} {} {}\n", format_rfc3339(entry.at), run::word(entry.phase), printable(entry.reason));
  return out;
}

std::string run_report(const Run& run, Time now) {
  std::string out = fmt::format("# Run {}\n\n", printable(run.name));
  out += fmt::format("**{}**{}. {}\n\n", run::word(run.phase),
                     run.reason.empty() ? "" : " (" + run.reason + ")", printable(run.message));
  out += fmt::format("Plan `{}`, approved {} by {}{}.\n\n", printable(run.plan_hash),
                     format_rfc3339(run.approved_at), printable(run.approved_by),
                     run.source.empty() ? "" : " (" + printable(run.source) + ")");
  out += "| | predicted | achieved |\n|---|---|---|\n";
  out += fmt::format(
      "| nodes | {} | {} |\n",
      run.outcome.nodes_before - static_cast<std::int64_t>(run.victims.size()) + (run.replacement ? 1 : 0),
      run.outcome.nodes_after);
  out += fmt::format("| savings | {} | {} |\n", per_hour(run.outcome.predicted_savings),
                     per_hour(run.outcome.achieved_savings));
  out += fmt::format("| evictions | {} | {} |\n\n", run.moves.size(), run.outcome.evictions);
  if (run.pressure_guards)
    out +=
        fmt::format("Highest pressure of a protected pod on a survivor: before {}; during {}; after {}.\n\n",
                    pressure(run.guards.before), pressure(run.guards.during), pressure(run.guards.after));
  else
    out += "Decided on requests alone: the pressure guards were off.\n\n";
  if (const std::string own = application(run.guards.application); !own.empty())
    out += "The application's own signal, at most: " + own + ".\n\n";
  if (!run.guards.tripped.empty()) out += "Guard that tripped: `" + printable(run.guards.tripped) + "`.\n\n";
  if (!run.guards.late_trip.empty())
    out += "Guard that tripped after the nodes were gone: `" + printable(run.guards.late_trip) + "`.\n\n";
  out += "Victims: " + joined(victims(run)) + ". ";
  std::vector<std::string> survivors;
  for (const run::Survivor& survivor : run.survivors) survivors.push_back(survivor.node);
  out += "Survivors: " + joined(survivors) +
         ".\n\n## Phases\n\n| phase | since | for | why |\n|---|---|---|---|\n";
  for (std::size_t i = 0; i < run.phases.size(); ++i)
    out += fmt::format("| {} | {} | {} | {} |\n", run::word(run.phases[i].phase),
                       format_rfc3339(run.phases[i].at), span(length(run, i, now)),
                       printable(run.phases[i].reason));
  out += "\n## Pods\n\n| pod | tier | from | to | left | replaced |\n|---|---|---|---|---|---|\n";
  for (const run::Departing& move : run.moves)
    out += fmt::format("| {}/{} | {} | {} | {} | {} | {} |\n", printable(move.ns), printable(move.name),
                       word(move.tier), printable(move.from), printable(move.to),
                       move.left ? format_rfc3339(*move.left) : "",
                       move.replaced ? format_rfc3339(*move.replaced) : "");
  out += "\n## Changes\n\n| # | change | object | came of it | when |\n|---|---|---|---|---|\n";
  for (const Mutation& entry : run.journal.entries)
    out += fmt::format("| {} | {} | {} | {} | {} |\n", entry.id, run::word(entry.kind), object_of(entry),
                       outcome_of(entry), format_rfc3339(entry.settled.value_or(entry.intended)));
  return out;
}

}  // namespace tamp::explain
