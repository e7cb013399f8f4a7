// From bytes to a Cluster. Foreign bytes enter Tamp here and nowhere else: whatever they are, the answer is a cluster
// (perhaps with warnings) or an error that names the file, the object and the field.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/autoscaler_status.h"
#include "core/cluster.h"
#include "core/result.h"

namespace tamp::wire {

// A file that was read elsewhere. `name` is what messages call it ("cluster.json", "<stdin>"). JSON in a string with
// 64 bytes of spare capacity is parsed in place; otherwise it is copied first.
struct Input {
  std::string name;
  std::string bytes;
};

struct Reading {
  Cluster cluster;
  std::vector<std::string> warnings;           // what was tolerated, and what was assumed instead
  std::map<std::string, std::size_t> ignored;  // other kinds, counted
  std::optional<AutoscalerStatus> autoscaler;  // of Cluster Autoscaler, where its ConfigMap was read
};

struct Inputs {
  std::vector<Input> objects;           // -f: JSON or YAML; a List, a single object, several YAML documents
  std::optional<Input> instance_types;  // --instance-types: KWOK-provider JSON
  std::optional<Input> prices;          // --prices: OpenCost CSV
  std::optional<Input> policy;          // --policy: a TemperPolicy, in place of one among the objects
};

Result<Reading> read_snapshot(const Inputs& inputs);

}  // namespace tamp::wire
