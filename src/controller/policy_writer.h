// Writes the status of one TemperPolicy: only what changed, only on top of the version that it knows (a conflict makes it
// read again), one request at a time. A new leader reads what is published first and goes on from there.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "controller/log.h"
#include "documents/policy_status.h"
#include "net/client.h"
#include "wire/published_status.h"

namespace tamp::controller {

// metav1.Condition, without its times.
struct StatusCondition {
  std::string type;  // "PlanPublished"
  bool is_true = false;
  std::string reason;  // one CamelCase word
  std::string message;
  // What makes it news in place of the message, whose numbers move all the time; empty: the message.
  std::string key = {};
};

struct WantedStatus {
  std::int64_t generation = 0;  // of the spec that was decided on
  std::vector<StatusCondition> conditions;
  std::optional<documents::StatusMembers> members;  // none: only conditions, for a policy that does not count
  std::optional<Time> last_node_deleted;            // that was seen; absent: what the status says stays
};

class PolicyWriter {
 public:
  enum class Outcome : std::uint8_t { Written, Unchanged, Failed };
  PolicyWriter(net::Loop& loop, net::Client& client, const Log& log, std::string policy)
      : loop_(loop), client_(client), log_(log), policy_(std::move(policy)) {}
  PolicyWriter(const PolicyWriter&) = delete;
  PolicyWriter& operator=(const PolicyWriter&) = delete;

  // What the status shall be. A newer wish replaces one that still waits. `done` tells what became of the write; it is not
  // called for a wish that was replaced.
  void want(WantedStatus wanted, std::function<void(Outcome)> done);
  // Forget what is published and what is wanted: somebody else may have written.
  void reset();

  // Is it known what is published? If not, goes and looks.
  bool known();
  // What is published as far as known; null before the first look.
  const wire::PublishedStatus* published() const { return published_ ? &*published_ : nullptr; }

 private:
  void pursue();
  void read();
  void write();
  void failed(const net::ApiError& error);
  void finish(Outcome outcome);

  net::Loop& loop_;
  net::Client& client_;
  const Log& log_;
  std::string policy_;
  std::optional<wire::PublishedStatus> published_;
  std::optional<WantedStatus> wanted_;
  std::function<void(Outcome)> done_;
  net::Pending request_, retry_;
  bool busy_ = false;
};

}  // namespace tamp::controller
