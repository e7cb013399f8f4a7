// What is judged when the trial comes to its end: that runs end, that nothing stays, that nobody lacks a pod, and that quiet
// stays quiet.
#include <fmt/format.h>

#include "documents/audit.h"
#include "sim/campaign/auditor.h"
#include "wire/tree.h"

namespace tamp::sim {
namespace {

using wire::Tree;
using world::api::ResourceId;

constexpr std::string_view kNamespace = "tamp-system";

// To find out by oneself that a run left something on a node, and to take it off: two looks of the sweep, and a little.
constexpr Duration kRemainsFor = Duration::seconds(100);

bool names(const std::string& note, const std::string& run) {
  const auto tree = wire::read_tree(note);
  if (!tree) return false;
  for (const Tree& name : (*tree)["runs"].elements())
    if (name.string() == run) return true;
  return false;
}

}  // namespace

// I12: whatever became of the nodes, protections and notes go soon after the run.
void Auditor::judge_remains() {
  const Time now = server_.now();
  if (over_since_.empty() || now.ns / 1'000'000'000 == looked_) return;
  looked_ = now.ns / 1'000'000'000;
  for (const auto& [run, since] : over_since_) {
    if (now <= since + notice_ + kRemainsFor) continue;
    for (const auto& [uid, node] : marks_.nodes())
      if (const auto note = node.now.find("note"); note != node.now.end() && names(note->second, run))
        violate("I12", fmt::format("node {} is still marked {} after run {} ended", node.name,
                                   format_duration(now - since), run));
  }
}

std::vector<std::string> Auditor::short_of_pods() const {
  std::vector<std::string> missing;
  for (const std::string& uid : whole_before_) {
    const auto found = truth_.owners().find(uid);
    if (found == truth_.owners().end()) continue;
    const OwnerTruth& owner = found->second;
    if (owner.kind != "Job" && owner.exists && owner.ready < owner.desired)
      missing.push_back(
          fmt::format("{}/{} has {} of {} pods", owner.ns, owner.name, owner.ready, owner.desired));
  }
  return missing;
}

void Auditor::judge_availability() {
  catch_up(false, nullptr);
  coverage_.count("availability judged");
  for (const std::string& missing : short_of_pods())
    violate("I15", missing + " ready, though nothing but the controller was troubled");
}

// Also where others had taken the note away, so that nothing was left to write.
bool Auditor::left_empty(const std::string& node_uid) const {
  for (const auto& [name, run] : runs_)
    for (const auto& [node, uid] : run.victims)
      if (run.reason == "LeftEmpty" && uid == node_uid) return true;
  return false;
}

// I14: the chain holds, nothing was cut off its end, and everything that the journal knows has its record.
void Auditor::judge_records(const RunView& run) {
  std::string lines;
  for (int part = 1;; ++part) {
    const auto map =
        server_.get(ResourceId::ConfigMaps, kNamespace, fmt::format("{}-audit-{}", run.name, part));
    if (!map) break;
    lines += map->tree()["data"]["audit.jsonl"].string();
  }
  const auto missing = [&](const std::string& what) {
    violate("I14", fmt::format("the audit records of {} know nothing of {}", run.name, what));
  };
  coverage_.count("audit records judged");
  if (const auto head = documents::verify_audit(lines); !head)
    return violate("I14",
                   fmt::format("the audit records of {} do not hold: {}", run.name, head.error().message));
  if (!documents::audit_contains(lines, run.audit_head))
    violate("I14", fmt::format("the audit records of {} were cut off", run.name));
  const auto recorded = [&](const std::string& key) {
    return lines.find(fmt::format(R"("key":"{}")", key)) != std::string::npos;
  };
  if (!recorded("approval")) missing("its approval");
  for (std::size_t i = 0; i < run.phases.size(); ++i)
    if (!recorded(fmt::format("phase-{}", i))) missing("phase " + run.phases[i]);
  for (const RunView::Entry& entry : run.entries) {
    if (!recorded(fmt::format("intent-{}", entry.id)))
      missing(fmt::format("the intent to {} {}", entry.kind, entry.name));
    // Nothing came of what was never tried, as far as anybody knows.
    if (entry.attempts == 0 && (entry.state == "Intended" || entry.state == "Unclear")) continue;
    if (!recorded(fmt::format("result-{}-{}-{}", entry.id, entry.attempts, entry.state)))
      missing(fmt::format("what came of {} {}: {}", entry.kind, entry.name, entry.state));
  }
}

void Auditor::conclude() {
  catch_up(false, nullptr);
  for (const auto& [name, run] : runs_)
    if (run.over()) judge_records(run);
  for (const auto& [name, run] : runs_)
    if (!run.over()) violate("L1", fmt::format("run {} is still {} ({})", name, run.phase, run.reason));
  for (const auto& [uid, node] : marks_.nodes()) {
    if (node.now.contains("note"))
      violate("L2", fmt::format("node {} still has a note: {}", node.name, node.now.at("note")));
    for (const auto& [mark, value] : node.now) {
      if (mark == "note" || node.shadow.contains(mark)) continue;
      if (mark == "cordon" && (left_cordoned_.contains(uid) || left_empty(uid))) continue;
      // Others destroyed both proofs that it is ours, the node's note and the journal of the run that held it. What nothing proves to be ours must
      // stay (I7).
      if (node.note_taken && journal_lost_.contains(node.name)) continue;
      violate(mark == "cordon" ? "I8" : "L2", fmt::format("node {} still has {}", node.name, mark));
    }
    for (const auto& [mark, value] : node.shadow)
      if (!node.now.contains(mark))
        violate("I8", fmt::format("node {} lost {} that others had put there", node.name, mark));
      else if (node.now.at(mark) != value)
        violate("I8",
                fmt::format("node {} has {}={} in place of {}", node.name, mark, node.now.at(mark), value));
  }
  if (claims_)
    for (const auto& [key, claim] : server_.objects(*claims_))
      if (claim->metadata()["annotations"].has("temper.codes/run"))
        violate("L2", "claim " + key.second + " still has a note");
  if (consolidation_runs_)
    for (const auto& [key, run] : server_.objects(*consolidation_runs_))
      if (!run->metadata()["finalizers"].empty())
        violate("L2", "run " + key.second + " still has a finalizer");
}

}  // namespace tamp::sim
