// A node that does not exist yet, as it takes shape in a simulation: each pod that joins narrows what it may be.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fit/index.h"

namespace tamp::fit {

class Simulation;

struct Claim {
  std::size_t template_index = 0;
  std::size_t number = 0;  // among the new nodes of the simulation
  ReqId requirements;
  std::vector<std::uint64_t> types;  // bits by position in Template::types
  // The most of each resource that a machine of these types had when its first pod had joined. Karpenter takes that off the
  // pool's limits, whatever the pods after it rule out.
  ResourceList most_capacity;
  ResourceList requested;  // by its pods
  std::vector<HostPort> ports;
  std::vector<PodId> pods;

  std::vector<TypeId> type_list(const Index& index) const;
  ResourceList largest_capacity(const Index& index) const;
  // The domain that a value of its requirements stands for.
  DomainId domain(const TopologyKey& key, Symbol value) const {
    return key.hostname && !value.valid() ? key.new_hosts[number] : key.find(value);
  }
};

// What joining would make of the claim.
struct Join {
  ReqId requirements;
  std::vector<std::uint64_t> types;
};

// A claim of the template with nobody on it, beside those there are; no types where the pool's limits leave no room for any.
Claim fresh_claim(const Index& index, const Simulation& simulation, std::size_t template_index,
                  std::span<const Claim> others);

// Could the pod join? `out` is set if so.
bool can_join(const Simulation& simulation, const Claim& claim, PodId pod, const Variant& variant, Join& out);

// Do the types (bits) cover enough distinct values for every minValues of the requirements?
bool satisfies_min_values(const Index& index, const Template& t, const std::vector<std::uint64_t>& types,
                          ReqId reqs);

}  // namespace tamp::fit
