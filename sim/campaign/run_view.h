// A ConsolidationRun as somebody reads it who knows only its documented status. The auditor shares no code with the machine that
// wrote it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/api/object.h"

namespace tamp::sim {

struct RunView {
  struct Entry {
    std::int64_t id = 0, attempts = 0;
    std::string kind, ns, name, uid, state;
  };
  struct Move {
    std::string ns, name, uid, from, owner;
    int tier = 2;  // 0 Background … 4 Critical
    std::optional<std::int64_t> ready_before;
  };
  std::string name, uid, hash, phase = "Approved", reason, tripped, late_trip, claim, claim_uid, claim_node;
  std::string audit_head;
  bool requests_only = false, watched_late = false;
  std::map<std::string, std::string> victims, survivors;  // node to uid
  std::map<std::string, std::string> victim_claims;       // claim to uid
  std::vector<Move> moves;
  std::vector<Entry> entries;
  std::vector<std::string> phases;  // all that were entered

  bool over() const { return phase == "Succeeded" || phase == "RolledBack"; }
  bool touched() const { return phase != "Approved" && phase != "Validating"; }
  bool at_work() const {
    return touched() && !over() && phase != "AwaitingReap" && phase != "Escalated" && phase != "Aborting";
  }
  // An entry that is stored and may be carried out now.
  const Entry* intended(std::string_view kind, std::string_view object, std::string_view object_uid) const;
  const Move* move(std::string_view pod_uid) const;
};

RunView read_run_view(const world::api::Object& object);
// All steps from one phase to the next that there are.
const std::set<std::pair<std::string_view, std::string_view>>& phase_steps();

}  // namespace tamp::sim
