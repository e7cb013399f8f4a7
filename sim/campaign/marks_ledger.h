// Whose marks are on which node. Three accounts for each node: what is there; what we put there (as seen from the API server); and what
// would be there if we had never been: the shadow, to which only others' changes are applied. In the end node and shadow must
// be equal.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "core/time.h"
#include "sim/api/object.h"

namespace tamp::sim {

// Protection annotations by key, "cordon", "taint", "no-load-balancer", "note", each with its value.
using Marks = std::map<std::string, std::string>;
Marks marks_of(const world::api::Object& node);
// The node without them, and without what changes with every write.
wire::Tree rest_of(const world::api::Object& node);

inline constexpr std::size_t kProtections = 3;
bool is_protection(std::string_view mark);
bool fully_protected(const Marks& marks);

struct MarkedNode {
  std::string name;
  Marks now, shadow;
  std::set<std::string> ours;        // put there by us at some time, and not changed by others since
  std::optional<Time> protected_at;  // the last time it was fully protected
  std::optional<Time> foreign_at;    // the last time others changed a mark
  std::optional<Time> paused_at;     // temper.codes/pause since
  bool note_taken = false;           // by others: nothing on the node tells any more what is ours
};

class MarksLedger {
 public:
  // Someone else did it, or it is as it was found.
  void foreign(const world::api::Change& change, Time now);
  // We did; `complain` hears what we may not do.
  void own(const world::api::Change& change, Time now,
           const std::function<void(std::string_view rule, std::string text)>& complain);

  const MarkedNode* find(std::string_view uid) const;
  // By uid; of nodes that exist.
  const std::map<std::string, MarkedNode, std::less<>>& nodes() const { return nodes_; }
  void touch_protected(Time now);

 private:
  std::map<std::string, MarkedNode, std::less<>> nodes_;
};

}  // namespace tamp::sim
