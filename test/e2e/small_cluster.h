// A small loaded cluster whose policy has a plan, for tests of what happens to the program around it: what is published,
// and what `tamp plan` says of the same cluster at the same moment.
#pragma once

#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "e2e/plane.h"
#include "wire/value.h"

namespace tamp::e2e {

// Flags under which controller and `tamp plan` decide the same.
std::vector<std::string> decision_flags();

struct Decision {
  std::string nodes, pods;            // of the cluster that was decided on
  std::vector<std::string> commands;  // "multi replace a b by spot: c-4x…"
  std::set<std::string> victims;
  bool operator==(const Decision&) const = default;
  std::string text() const;
  friend void PrintTo(const Decision& decision, std::ostream* out) { *out << decision.text(); }  // GoogleTest
};

class SmallCluster {
 public:
  // Installs, loads and applies the policy; once for each control plane.
  SmallCluster(int nodes, int pods);

  // In the status of the policy; nothing if the API server does not answer, or nothing is published.
  std::optional<Decision> published();
  // What `tamp plan` says; nothing if it cannot, and why() tells why.
  std::optional<Decision> asked();
  const std::string& why() const { return why_; }
  // Waits until the two agree; false if they do not in time.
  bool agreement(Duration within = Duration::seconds(30));

  // A paused node is in no plan.
  void pause(const std::string& node) { annotate(node, "\"true\""); }
  void go_on_with(const std::string& node) { annotate(node, "null"); }
  // Under which there is a plan. `disruption_more` are members of its block: ",\"consolidationGracePeriod\":\"1m\"".
  net::Reply apply_policy(const std::string& disruption_more = {});
  // Who leads is open again.
  void forget_lease();

  Session& admin() { return admin_; }

 private:
  void annotate(const std::string& node, const std::string& value);

  Session admin_;
  std::string why_;
};

// One request that the audit log tells of.
struct AuditedRequest {
  Time received;
  std::string verb, resource, subresource;
  int code = 0;
  bool writes() const { return verb != "get" && verb != "list" && verb != "watch"; }
};
// Those made with the token of this name (account_kubeconfig), oldest first.
std::vector<AuditedRequest> requests_of(const std::string& name);

Time wall_clock();

}  // namespace tamp::e2e
