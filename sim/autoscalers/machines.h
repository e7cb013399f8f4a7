// The machines that an autoscaler can buy: a catalogue in the format of Karpenter's KWOK provider.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "wire/tree.h"

namespace tamp::world {

struct MachineOffer {
  std::string zone, capacity_type;
  double price = 0;  // dollars per hour
  bool available = true;
};

struct Machine {
  std::string name, architecture, os;
  wire::Tree capacity;  // {"cpu": "4", "memory": "16Gi", "pods": "110", …}
  std::int64_t cpu_millis = 0, memory_bytes = 0,
               pods = 0;  // allocatable: capacity less what the system takes
  std::vector<MachineOffer> offers;
};

struct Machines {
  std::vector<Machine> all;  // in file order
  const Machine* find(std::string_view name) const;
  // The first offer of the machine there; nullptr if there is none. An empty zone or capacity type is any.
  static const MachineOffer* offer(const Machine& machine, std::string_view zone,
                                   std::string_view capacity_type);
};

// What a new node keeps for itself, as Karpenter's KWOK provider has it.
inline constexpr std::int64_t kSystemCpuMillis = 100;
inline constexpr std::int64_t kSystemMemoryBytes = 10 << 20;

Result<Machines> read_machines(const wire::Tree& catalogue);

}  // namespace tamp::world
