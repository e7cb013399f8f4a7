// Shortcuts for tests of this room: a cluster from a few lines of JSON or YAML, and a cluster as comparable text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "wire/snapshot.h"

namespace tamp::wire::testing {

inline Inputs inputs_of(std::string_view objects, std::string_view name = "file") {
  Inputs inputs;
  inputs.objects.push_back({std::string(name), std::string(objects)});
  return inputs;
}

// The message with which reading fails; "" if it does not.
inline std::string error_of(const Inputs& inputs) {
  const auto reading = read_snapshot(inputs);
  return reading ? "" : reading.error().message;
}
inline std::string error_of(std::string_view objects) { return error_of(inputs_of(objects)); }

inline Reading read(const Inputs& inputs) {
  auto reading = read_snapshot(inputs);
  if (reading) return std::move(reading).value();
  ADD_FAILURE() << reading.error().message;
  return Reading();
}
inline Reading read(std::string_view objects) { return read(inputs_of(objects)); }

// Everything in the cluster with symbols as text, so that two readings are equal exactly if they mean the same.
std::string dump(const Cluster& cluster);

}  // namespace tamp::wire::testing
