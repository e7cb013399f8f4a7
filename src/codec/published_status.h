// What a TemperPolicy says of itself now: read once by a new leader, so that it goes on where the last one ended instead
// of writing the same again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace tamp::codec {

struct PublishedCondition {
  std::string type;
  bool is_true = false;
  Time since;  // lastTransitionTime
};

struct PublishedStatus {
  std::string resource_version;
  std::string fingerprint;  // of everything in the status but its times
  std::string plan_hash;    // empty without a plan
  Time plan_decided_at;
  std::vector<PublishedCondition> conditions;
};

// Tolerant: a status that somebody else has written into is read as far as it makes sense, since it will be written anew.
Result<PublishedStatus> read_published_status(const std::string& bytes);

}  // namespace tamp::codec
