// The machine catalogue: which machines could be bought, where, and for how much.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/labels.h"
#include "core/money.h"
#include "core/resources.h"
#include "core/symbols.h"

namespace tamp {

using TypeId = Id<struct InstanceTypeTag>;

struct Offering {
  Symbol zone;
  Symbol capacity_type;
  Money price;
  double dollars = 0;  // as read; Karpenter compares these, so `--compat` does too
  bool available = true;
  std::vector<SelectorRequirement> requirements;  // all of them, zone and capacity type included
};

struct InstanceType {
  Symbol name;
  std::vector<SelectorRequirement>
      requirements;  // type, arch, os, zones, capacity types, size, family, cpu, memory
  ResourceList capacity;
  ResourceList allocatable;  // of a new, empty node
  std::vector<Offering> offerings;
};

struct Catalogue {
  std::vector<InstanceType> types;  // in file order
  std::vector<Symbol> well_known;   // label keys that a node may get though no template names them; sorted
};

}  // namespace tamp
