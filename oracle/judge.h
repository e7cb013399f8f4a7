// Replays a consolidation command on the literal scheduler and says what it breaks. The nodes that go first stand as
// empty, tainted ghosts, which still make topology domains, while their pods are placed one by one; each must pass every
// filter at its turn. Then the ghosts are gone, and each moved pod must still pass its own spread and affinity rules.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "oracle/placement.h"

namespace tamp::world {

struct PodMove {
  PodId pod;
  NodeId to;                    // invalid: a replacement
  std::size_t replacement = 0;  // which of them, then
};

struct Violation {
  PodId pod;
  NodeRef node;           // where it was to go, or for NotMoved where it is
  std::string_view rule;  // a filter as kube-scheduler names it, or one of the words below
  bool after = false;     // found after the nodes were gone
};

// A pod on a node that goes has no place; only those of DaemonSets and static ones, and those that end anyway, need none.
inline constexpr std::string_view kNotMoved = "NotMoved";
// A pod that has no reason to move: it is neither on a node that goes nor pending.
inline constexpr std::string_view kNotDisplaced = "NotDisplaced";
inline constexpr std::string_view kMovedTwice = "MovedTwice";
// The destination goes itself, or is a replacement that the command does not have.
inline constexpr std::string_view kNoSuchDestination = "NoSuchDestination";

std::vector<Violation> judge_moves(const Cluster& cluster, const std::vector<NodeId>& removed,
                                   const std::vector<PodMove>& moves,
                                   const std::vector<Node>& replacements = {});

}  // namespace tamp::world
