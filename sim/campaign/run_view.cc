#include "sim/campaign/run_view.h"

#include <algorithm>
#include <array>

namespace tamp::sim {
namespace {

using wire::Tree;

std::string text(const Tree& tree, std::string_view key) { return std::string(tree[key].string()); }

int tier_of(std::string_view word) {
  constexpr std::array<std::string_view, 5> kTiers = {"Background", "Low", "Normal", "High", "Critical"};
  const auto* const found = std::find(kTiers.begin(), kTiers.end(), word);
  return found == kTiers.end() ? 2 : static_cast<int>(found - kTiers.begin());
}

}  // namespace

const RunView::Entry* RunView::intended(std::string_view kind, std::string_view object,
                                        std::string_view object_uid) const {
  for (const Entry& entry : entries)
    if (entry.kind == kind && entry.name == object && entry.state == "Intended" &&
        (entry.uid == object_uid || (entry.uid.empty() && kind == "CreateClaim")))
      return &entry;
  return nullptr;
}

const RunView::Move* RunView::move(std::string_view pod_uid) const {
  for (const Move& move : moves)
    if (move.uid == pod_uid) return &move;
  return nullptr;
}

RunView read_run_view(const world::api::Object& object) {
  RunView run;
  run.name = object.name();
  run.uid = object.uid();
  run.hash = text(object.spec(), "planHash");
  const Tree& status = object.status();
  if (!status["phase"].string().empty()) run.phase = text(status, "phase");
  run.reason = text(status, "reason");
  const Tree& journal = status["journal"];
  run.requests_only = journal["requestsOnly"].boolean();
  run.claim = text(journal, "claim");
  run.claim_uid = text(journal, "claimUid");
  run.claim_node = text(journal, "claimNode");
  run.tripped = text(journal["guards"], "tripped");
  run.late_trip = text(journal["guards"], "lateTrip");
  run.watched_late = journal.has("lateWatchUntil");
  run.audit_head = text(status, "auditHead");
  for (const Tree& victim : journal["victims"].elements()) {
    run.victims[text(victim, "node")] = text(victim, "uid");
    if (victim.has("claim")) run.victim_claims[text(victim, "claim")] = text(victim, "claimUid");
  }
  for (const Tree& survivor : journal["survivors"].elements())
    run.survivors[text(survivor, "node")] = text(survivor, "uid");
  for (const Tree& move : journal["moves"].elements()) {
    RunView::Move& out = run.moves.emplace_back();
    out.ns = text(move, "namespace");
    out.name = text(move, "name");
    out.uid = text(move, "uid");
    out.from = text(move, "from");
    out.owner = text(move, "owner");
    out.tier = tier_of(move["tier"].string());
    if (move.has("readyBefore")) out.ready_before = move["readyBefore"].integer();
  }
  for (const Tree& entry : journal["phases"].elements()) run.phases.push_back(text(entry, "phase"));
  for (const Tree& mutation : journal["mutations"].elements())
    run.entries.push_back({mutation["id"].integer(), mutation["attempts"].integer(), text(mutation, "kind"),
                           text(mutation, "namespace"), text(mutation, "name"), text(mutation, "uid"),
                           text(mutation, "state")});
  return run;
}

const std::set<std::pair<std::string_view, std::string_view>>& phase_steps() {
  static const std::set<std::pair<std::string_view, std::string_view>> kAllowed = {
      {"Approved", "Validating"},   {"Approved", "RolledBack"},    {"Validating", "Launching"},
      {"Validating", "Protecting"}, {"Validating", "RolledBack"},  {"Launching", "Protecting"},
      {"Launching", "Aborting"},    {"Protecting", "Cordoning"},   {"Protecting", "Aborting"},
      {"Cordoning", "Draining"},    {"Cordoning", "Aborting"},     {"Draining", "Settling"},
      {"Draining", "Aborting"},     {"Settling", "AwaitingReap"},  {"Settling", "Succeeded"},
      {"Settling", "Aborting"},     {"AwaitingReap", "Escalated"}, {"AwaitingReap", "Succeeded"},
      {"AwaitingReap", "Aborting"}, {"Escalated", "Succeeded"},    {"Escalated", "Aborting"},
      {"Aborting", "RolledBack"}};
  return kAllowed;
}

}  // namespace tamp::sim
