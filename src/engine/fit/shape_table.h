// Numbers for pods that differ in spec, namespace or labels. A table of our own: nearly every pod of a cluster is looked up in it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/pod.h"

namespace tamp::fit {

using ShapeId = Id<struct ShapeTag>;

class ShapeTable {
 public:
  // The number that was given to such pods; invalid, and the caller's to set, if there is none yet. Holds until the next call.
  ShapeId& operator[](const Pod& pod) {
    if (2 * used_ >= slots_.size()) grow();
    Slot& slot = slots_[find(pod.spec, pod.ns, pod.labels)];
    if (!slot.spec.valid()) {
      slot = {pod.spec, pod.ns, pod.labels, {}};
      ++used_;
    }
    return slot.shape;
  }

 private:
  struct Slot {
    PodSpecId spec;  // invalid: free
    Symbol ns;
    LabelSetId labels;
    ShapeId shape;
  };

  std::size_t find(PodSpecId spec, Symbol ns, LabelSetId labels) const {
    const std::size_t mask = slots_.size() - 1;
    const std::uint64_t key = std::uint64_t{spec.value} << 32 ^ std::uint64_t{ns.value} << 20 ^ labels.value;
    std::size_t at = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> 32) & mask;
    const auto other = [&](const Slot& s) {
      return s.spec.valid() && (s.spec != spec || s.ns != ns || s.labels != labels);
    };
    while (other(slots_[at])) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& s : before)
      if (s.spec.valid()) slots_[find(s.spec, s.ns, s.labels)] = s;
  }

  std::vector<Slot> slots_;  // a power of two, at most half of them used; linear probing
  std::size_t used_ = 0;
};

}  // namespace tamp::fit
