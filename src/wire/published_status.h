// What a TemperPolicy says of itself now: read once by a new leader, so that it goes on where the last one ended instead
// of writing the same again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace tamp::wire {

struct PublishedCondition {
  std::string type;
  bool is_true = false;
  Time since;  // lastTransitionTime
};

struct PublishedStatus {
  std::string resource_version;
  std::string fingerprint;  // of everything in the status but its times
  // Of the plan; empty without one.
  std::string plan_hash, plan_structure;
  std::vector<std::string> plan_victims;
  std::int64_t plan_nodes = 0;  // how many victims there are; the list may be cut
  Time plan_created_at, plan_expires_at;
  std::vector<PublishedCondition> conditions;
  std::optional<Time> last_node_deleted;  // as a leader saw it; absent: none has seen a deletion
};

// Tolerant: a status that somebody else has written into is read as far as it makes sense, since it will be written anew.
Result<PublishedStatus> read_published_status(const std::string& bytes);

}  // namespace tamp::wire
