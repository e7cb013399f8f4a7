#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/json_writer.h"
#include "documents/audit.h"
#include "documents/dashboard_documents.h"
#include "documents/proposal_fields.h"
#include "run/limits.h"
#include "wire/tree.h"

namespace tamp::documents {
namespace {

using run::Run;
using wire::Tree;

// A run of hours has a sample every few seconds and up to fifty survivors; a plot has a few hundred pixels.
constexpr std::size_t kMostLooks = 300;

void time_or_null(JsonWriter& w, std::string_view key, const std::optional<Time>& time) {
  w.key(key);
  if (time)
    w.string(format_rfc3339(*time));
  else
    w.null();
}

void write_summary_fields(JsonWriter& w, const Run& run) {
  w.field("name", run.name).field("planHash", run.plan_hash).field("phase", run::word(run.phase));
  w.field("reason", run.reason).field("message", run.message).field("approvedBy", run.approved_by);
  w.field("source", run.source).field("approvedAt", format_rfc3339(run.approved_at));
  time_or_null(w, "endedAt", run::over(run.phase) ? std::optional(run.entered()) : std::nullopt);
  w.key("victims").begin_array();
  for (const run::Victim& victim : run.victims) w.string(victim.node);
  w.end_array();
  w.field("evictions", run.outcome.evictions);
  w.field("hourlySavings",
          (run.phase == run::Phase::Succeeded ? run.outcome.achieved_savings : run.outcome.predicted_savings)
              .dollars());
}

void write_moves(JsonWriter& w, const Run& run) {
  w.key("moves").begin_array();
  for (const run::Departing& move : run.moves) {
    const run::Mutation* eviction = run.journal.eviction_of(move.uid);
    w.begin_object().field("namespace", move.ns).field("name", move.name).field("uid", move.uid);
    w.field("tier", word(move.tier)).field("from", move.from).field("to", move.to);
    time_or_null(w, "asked", eviction == nullptr ? std::nullopt : eviction->tried);
    time_or_null(w, "left", move.left);
    time_or_null(w, "replaced", move.replaced);
    const bool blocked = eviction != nullptr && eviction->state == run::MutationState::Blocked;
    w.field("blocked", blocked ? eviction->message : std::string()).end_object();
  }
  w.end_array();
}

// Lines of the timeline, thinned: a few hundred, the newest among them.
std::vector<Tree> read_looks(std::string_view timeline) {
  std::vector<Tree> looks;
  std::size_t lines = static_cast<std::size_t>(std::count(timeline.begin(), timeline.end(), '\n'));
  const std::size_t step = std::max<std::size_t>(1, (lines + kMostLooks - 1) / kMostLooks);
  std::size_t number = 0;
  for (std::size_t at = 0; at < timeline.size(); ++number) {
    const std::size_t end = std::min(timeline.find('\n', at), timeline.size());
    const bool last = number + 1 == lines;
    if (number % step == 0 || last)
      if (auto tree = wire::read_tree(std::string(timeline.substr(at, end - at))))
        looks.push_back(std::move(*tree));
    at = end + 1;
  }
  return looks;
}

void write_samples(JsonWriter& w, const std::vector<Tree>& looks) {
  const auto value = [&](std::string_view key, const Tree& reading) {
    w.key(key);
    if (reading.is_number())
      w.number(reading.number());
    else
      w.null();
  };
  w.key("samples").begin_array();
  for (const Tree& look : looks)
    for (const Tree::Member& survivor : look["survivors"].members()) {
      w.begin_object().field("at", look["at"].string()).field("survivor", survivor.key);
      value("cpu", survivor.value["cpu60"]);
      value("memory", survivor.value["memory60"]);
      value("io", survivor.value["io60"]);
      w.end_object();
    }
  w.end_array();
}

struct LogLine {
  Time at;
  std::string text;
};

std::string mutation_words(const run::Mutation& entry) {
  std::string text = fmt::format("{} {}{}{}: {}", run::word(entry.kind), entry.ns,
                                 entry.ns.empty() ? "" : "/", entry.name, run::word(entry.state));
  if (!entry.reason.empty()) text += " (" + entry.reason + ")";
  if (!entry.message.empty()) text += ": " + entry.message;
  return text;
}

void write_log(JsonWriter& w, const Run& run) {
  std::vector<LogLine> lines;
  lines.push_back({run.approved_at, "approved by " + run.approved_by});
  for (const run::PhaseEntry& phase : run.phases)
    lines.push_back(
        {phase.at, std::string(run::word(phase.phase)) + (phase.reason.empty() ? "" : ": " + phase.reason)});
  for (const run::Mutation& entry : run.journal.entries)
    lines.push_back({entry.settled.value_or(entry.tried.value_or(entry.intended)), mutation_words(entry)});
  // Of one moment, in the order of the journal.
  std::stable_sort(lines.begin(), lines.end(),
                   [](const LogLine& a, const LogLine& b) { return a.at < b.at; });
  w.key("log").begin_array();
  for (const LogLine& line : lines)
    w.begin_object().field("at", format_rfc3339(line.at)).field("text", line.text).end_object();
  w.end_array();
}

void write_guards(JsonWriter& w, const Look& look, const Run& run, const std::vector<Tree>& looks) {
  const GuardSettings guards = look.scene ? look.scene->settings.guards : GuardSettings{};
  w.key("guards").begin_object().field("pressure", run.pressure_guards);
  w.field("tripped", run.guards.tripped).field("lateTrip", run.guards.late_trip);
  w.key("thresholds").begin_object().field("cpu", guards.run.pressure.cpu);
  w.field("memory", guards.run.pressure.memory).field("io", guards.run.pressure.io).end_object();
  write_samples(w, looks);
  w.end_object();
}

// The query of `guards.run.prometheus` as the run's guard read it; null where there is none.
void write_application(JsonWriter& w, const Look& look, const std::vector<Tree>& looks) {
  w.key("application");
  const auto recorded = std::find_if(looks.rbegin(), looks.rend(),
                                     [](const Tree& one) { return one["application"].is_object(); });
  const auto guard = look.scene ? look.scene->settings.guards.run.prometheus : std::nullopt;
  if (recorded == looks.rend()) {
    w.null();
    return;
  }
  w.begin_object().field("label", guard ? guard->query : "the application's own signal");
  w.field("limit", recorded->at({"application", "limit"}).number()).key("samples").begin_array();
  for (const Tree& one : looks) {
    const Tree& reading = one["application"];
    if (!reading.is_object()) continue;
    w.begin_object().field("at", one["at"].string()).key("value");
    if (reading["value"].is_number())
      w.number(reading["value"].number());
    else
      w.null();
    w.end_object();
  }
  w.end_array().end_object();
}

std::string record_words(const Tree& record) {
  const std::string_view what = record["what"].string();
  if (what == "approval") return fmt::format("approval of plan {}", record["planHash"].string());
  if (what == "phase")
    return fmt::format("phase {}{}{}", record["phase"].string(),
                       record["reason"].string().empty() ? "" : ": ", record["reason"].string());
  if (what == "guard" || what == "late-guard") return fmt::format("{} {}", what, record["guard"].string());
  std::string text = fmt::format("{}: {} {}", what, record["kind"].string(), record["object"].string());
  for (const char* key : {"state", "reason", "message"})
    if (!record[key].string().empty()) text += fmt::format(", {}", record[key].string());
  return text;
}

}  // namespace

std::string run_summary(const Run& run) {
  JsonWriter w;
  w.begin_object();
  write_summary_fields(w, run);
  w.end_object();
  return w.take();
}

std::string runs_document(const Look& look) {
  std::vector<const Run*> runs;
  runs.reserve(look.runs.size());
  for (const auto& run : look.runs) runs.push_back(run.get());
  std::stable_sort(runs.begin(), runs.end(), [](const Run* a, const Run* b) {
    if (a->approved_at != b->approved_at) return a->approved_at > b->approved_at;
    return a->name < b->name;
  });
  JsonWriter w;
  w.begin_object().key("runs").begin_array();
  for (const Run* run : runs) {
    w.begin_object();
    write_summary_fields(w, *run);
    w.end_object();
  }
  w.end_array().end_object();
  return w.take();
}

std::string run_document(const Look& look, const Run& run, std::string_view timeline) {
  JsonWriter w;
  w.begin_object().field("decidedAt", format_rfc3339(look.scene ? look.scene->now : run.entered()));
  write_summary_fields(w, run);
  w.key("survivors").begin_array();
  for (const run::Survivor& survivor : run.survivors) w.string(survivor.node);
  w.end_array();
  w.key("phases").begin_array();
  for (const run::PhaseEntry& phase : run.phases)
    w.begin_object()
        .field("phase", run::word(phase.phase))
        .field("at", format_rfc3339(phase.at))
        .field("reason", phase.reason)
        .end_object();
  w.end_array();
  write_moves(w, run);
  w.key("pending").begin_array();
  for (const auto& [pod, since] : run.guards.pending)
    w.begin_object().field("pod", pod).field("since", format_rfc3339(since)).end_object();
  w.end_array();
  const std::vector<Tree> looks = read_looks(timeline);
  write_guards(w, look, run, looks);
  write_application(w, look, looks);
  write_log(w, run);
  const std::int64_t fewer =
      static_cast<std::int64_t>(run.victims.size()) - static_cast<std::int64_t>(run.replacement.has_value());
  w.key("predicted").begin_object().field("nodes", run.outcome.nodes_before - fewer);
  w.field("hourlySavings", run.outcome.predicted_savings.dollars()).end_object();
  w.key("achieved");
  if (run.phase == run::Phase::Succeeded)
    w.begin_object()
        .field("nodes", run.outcome.nodes_after)
        .field("hourlySavings", run.outcome.achieved_savings.dollars())
        .end_object();
  else
    w.null();
  w.end_object();
  return w.take();
}

namespace {

// Why the chain does not hold; empty: it does.
std::string chain_problem(const Run& run, const std::string& lines) {
  const auto head = documents::verify_audit(lines);
  if (!head) return head.error().message;
  if (!documents::audit_contains(lines, run.audit_head))
    return "the newest record that the run knows of is missing";
  return {};
}

std::vector<Tree> read_lines(const std::string& lines) {
  std::vector<Tree> records;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    if (auto record = wire::read_tree(lines.substr(at, end - at))) records.push_back(std::move(*record));
    at = end + 1;
  }
  return records;
}

void write_record_fields(JsonWriter& w, const Tree& record) {
  const std::string_view by = record["by"].string();
  w.field("at", record["at"].string()).field("actor", by.empty() ? "tamp" : by);
  w.field("what", record_words(record)).field("hash", record["hash"].string());
}

}  // namespace

std::string audit_document(const Run& run, const std::string& lines) {
  const std::string problem = chain_problem(run, lines);
  JsonWriter w;
  w.begin_object().field("run", run.name).field("valid", problem.empty()).field("problem", problem);
  w.key("records").begin_array();
  for (const Tree& record : read_lines(lines)) {
    w.begin_object();
    write_record_fields(w, record);
    w.end_object();
  }
  w.end_array().end_object();
  return w.take();
}

std::string audit_trail_document(const std::vector<RunRecords>& runs, bool complete) {
  struct Entry {
    const Run* run;
    std::size_t number;  // in its chain
    Tree record;
  };
  std::vector<Entry> entries;
  JsonWriter w;
  w.begin_object().field("complete", complete).key("chains").begin_array();
  for (const RunRecords& one : runs) {
    const std::string problem = chain_problem(*one.run, one.lines);
    std::vector<Tree> records = read_lines(one.lines);
    w.begin_object().field("run", one.run->name).field("valid", problem.empty());
    w.field("problem", problem).field("records", records.size()).end_object();
    for (std::size_t i = 0; i < records.size(); ++i)
      entries.push_back({one.run.get(), i, std::move(records[i])});
  }
  // RFC 3339 in UTC sorts as text. Of one moment, the later of a chain is the newer.
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    const auto at_a = a.record["at"].string(), at_b = b.record["at"].string();
    if (at_a != at_b) return at_a > at_b;
    if (a.run->name != b.run->name) return a.run->name < b.run->name;
    return a.number > b.number;
  });
  w.end_array().key("records").begin_array();
  for (const Entry& entry : entries) {
    w.begin_object().field("run", entry.run->name);
    write_record_fields(w, entry.record);
    w.end_object();
  }
  w.end_array().end_object();
  return w.take();
}

}  // namespace tamp::documents
