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

#include "fit/simulation.h"
#include "price/pricing.h"

namespace tamp::search {

class VerdictMemo {
 public:
  explicit VerdictMemo(const fit::Index& index);

  // Stands for no node, but for the search over several.
  NodeId together() const { return NodeId(entries_.size() - 1); }

  // Null where there is none.
  const price::Priced* find(NodeId node) const;
  // From now on simulations are noted for the verdict on this node, until it is kept.
  void begin(NodeId node);
  void note(const fit::Simulation& simulation, std::span<const PodId> moved, const fit::Outcome& outcome);
  void keep(NodeId node, price::Priced verdict);

  void forget(NodeId node);
  // What there is to know of a site at one time.
  struct Standing {
    fit::TrialKey key;
    std::vector<std::uint8_t> fits;  // by AppetiteId: there is room for such a pod
  };
  void look_at(const fit::Simulation& simulation, fit::SiteId site, Standing& standing) const;
  // The pods of a site have changed. `reads`, by ShapeId: it reads a count that changed. Returns how many verdicts are gone.
  std::size_t forget_touched(fit::SiteId site, const Standing& before, const Standing& after,
                             std::span<const std::uint8_t> reads);

 private:
  // Pods that ask for the same amounts, of which a cluster has few kinds.
  using AppetiteId = Id<struct AppetiteTag>;
  struct Entry {
    std::optional<price::Priced> verdict;
    std::vector<fit::ShapeId> shapes;   // that looked for a place
    std::vector<fit::SiteId> landings;  // where they went; sorted once it is kept
  };
  bool touched(std::size_t node, fit::SiteId site, std::span<const std::uint8_t> reads) const;

  std::vector<AppetiteId> appetite_of_;  // by PodSpecId
  std::vector<ResourceList> appetites_;  // by AppetiteId
  std::vector<Entry> entries_;           // by NodeId, and together()
  // What a change asks of every entry, laid out for it: by NodeId, a bit for each site and shape of the entry, many to a bit; and
  // how far pods have looked, by row and NodeId. Where there are very many appetites some share a row, which takes
  // away more than need be.
  struct Reach {
    fit::TrialKey nearest, furthest;
  };
  static constexpr std::size_t kMostRows = 32;
  std::size_t row_of(AppetiteId appetite) const { return appetite.index() % reach_.size(); }
  std::vector<std::uint64_t> landing_bits_, shape_bits_;
  std::vector<std::vector<Reach>> reach_;
  NodeId noting_;
  std::vector<std::uint8_t> shape_noted_, site_noted_;  // the entry that is being noted has it already
};

}  // namespace tamp::search
