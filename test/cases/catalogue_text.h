// The machines of a case, as a catalogue in the KWOK provider's format.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace tamp::cases {

// "A", nothing for the few machines of A that have short names (see below), or a list of types: {name, cpu, memory, pods, zones, spot: price, on-demand: price, offerings: [{zone, capacityType,
// price, available}]}.
//
// Catalogue A is the one in which most of Karpenter's own cases are stated: every combination of 1 to 64 cpus, 1 to 128 Gi,
// three zones, spot and on-demand, two systems and two architectures is a type of its own with exactly one offering, for
// $0.1 a cpu and $0.1 a gigabyte (10^9 bytes). Spot costs as much as on-demand. A machine takes five pods.
std::string catalogue_text(const YAML::Node& catalogue);

// Short names of types of A: L is the cheapest and M the dearest on-demand linux/amd64 machine of test-zone-1, mid has 32
// cpus and 4 Gi, Ls and Ms are their spot twins; L2 … M3 are those of test-zone-2 and -3. Any other name is returned as it is.
std::string type_name(const std::string& word);

// Where a type of A is offered; empty where the name says nothing.
struct Origin {
  std::string zone, capacity_type;
};
Origin origin_of(const std::string& type);

}  // namespace tamp::cases
