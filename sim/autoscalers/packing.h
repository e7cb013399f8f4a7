// Which machines to buy for pods that fit nowhere: pods by size, each into the first bin that takes it, a new bin if none
// does; then the cheapest machine that holds the bin. As Karpenter does it, in short.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/api/object.h"
#include "sim/autoscalers/machines.h"
#include "sim/autoscalers/pod_needs.h"

namespace tamp::world {

// Where machines may come from: a NodePool or a node group.
struct Source {
  std::string name;
  wire::Tree labels;        // every node of it has them
  wire::Tree requirements;  // of labels that the machine gives
  wire::Tree taints;
  Needs daemons;  // taken on every node before pods come
};

struct Bin {
  const Source* source = nullptr;
  struct Candidate {
    const Machine* machine;
    const MachineOffer* offer;
  };
  std::vector<Candidate> candidates;  // cheapest first
  Needs needs;                        // daemons included
  std::vector<const api::Object*> pods;
  std::vector<std::string_view>
      loners;  // owners whose pods want no other of their kind beside them; one is here
};

// Labels of a node of this machine: type, zone, capacity type, architecture, operating system and the source's own.
wire::Tree node_labels(const Source& source, const Machine& machine, const MachineOffer& offer);
Needs allocatable_of(const Machine& machine);

// Pods that no source can take are in no bin. All arguments must outlive the bins.
std::vector<Bin> pack(const Machines& machines, const std::vector<Source>& sources,
                      std::vector<const api::Object*> pods);

}  // namespace tamp::world
