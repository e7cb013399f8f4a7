// Verdicts on single nodes that are kept while the cluster changes pod by pod, each with what it was drawn from. A change takes
// away only those that could come out otherwise; which those are is decided on the safe side, but closely:
//
//   A pod goes to the first site that takes it. So it has looked at the sites up to its own, or at all of them if it found no
//   place at once or has preferences to give up. A site that none of the pods went to is, for them, as it is in the cluster. If
//   its room or its place in the order changes, it matters only to a pod that looks at it now and fits, and not to one that
//   looked at it before and fitted, too: that was refused for other reasons, which hold. And counts of topology matter only to
//   shapes that read them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decide/pricing.h"
#include "schedule/simulation.h"

namespace tamp::decide {

class VerdictMemo {
 public:
  explicit VerdictMemo(std::size_t nodes) : entries_(nodes) {}

  // Null where there is none.
  const Priced* find(NodeId node) const;
  // From now on simulations are noted for the verdict on this node, until it is kept.
  void begin(NodeId node);
  void note(const schedule::Simulation& simulation, std::span<const PodId> moved,
            const schedule::Outcome& outcome);
  void keep(NodeId node, Priced verdict);

  void forget(NodeId node) { entries_[node.index()].verdict.reset(); }
  // What there is to know of a site at one time.
  struct Standing {
    schedule::TrialKey key;
    std::vector<std::uint8_t> fits;  // by PodSpecId: there is room for such a pod
  };
  // The pods of a site have changed. `reads`, by ShapeId: it reads a count that changed. Returns how many verdicts are gone.
  std::size_t forget_touched(schedule::SiteId site, const Standing& before, const Standing& after,
                             std::span<const std::uint8_t> reads);

 private:
  struct Look {
    schedule::ShapeId shape;
    PodSpecId spec;
    schedule::TrialKey reach;  // the last site looked at
  };
  struct Entry {
    std::optional<Priced> verdict;
    std::vector<Look> looks;
    std::vector<schedule::SiteId> landings;
  };
  std::vector<Entry> entries_;  // by NodeId
  NodeId noting_;
};

}  // namespace tamp::decide
