// A node's pods kept current by list and watch, for its agent: bytes of pages and events go in, the pods come out.
//
// A pod that cannot be decoded is left out, as it cannot be measured; who wants to move it finds that it was not. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "wire/node_pods.h"
#include "wire/watch_event.h"

namespace tamp::wire {

class NodePodStore {
 public:
  explicit NodePodStore(const TierFloors& floors) : floors_(floors) {}

  // As ClusterStore has it: a list takes effect when it ends, what it does not name is then gone.
  void begin_list() { listed_.emplace(); }
  Result<PageInfo> add_page(const std::string& bytes);
  void end_list();
  Result<EventInfo> apply_event(const std::string& line);

  // Has anything of a pod changed since the last call? Most events are about what an agent does not look at.
  bool take_changed() { return std::exchange(changed_, false); }
  // In the order of read_node_pods().
  std::vector<NodePod> pods() const;
  // What could not be decoded last; empty if nothing.
  const std::string& problem() const { return problem_; }

 private:
  using Key = std::pair<std::string, std::string>;  // namespace, name: the uid may change
  using Pods = std::map<Key, NodePod>;

  // True if it is news.
  Result<bool> put(Pods& pods, Value object);

  TierFloors floors_;
  Pods pods_;
  std::optional<Pods> listed_;  // while a list is under way
  std::string problem_;
  bool changed_ = false;
};

}  // namespace tamp::wire
