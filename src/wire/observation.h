// `/observe` documents to observations. Bytes come from agents and files, so sizes are bounded; more keys than we know are
// passed over; what is of the wrong type or out of range is refused, with its place: "[2].pods[0].cpu.usageCores.60s: …".
#pragma once

#include <cstddef>
#include <string>

#include "core/observation.h"
#include "core/result.h"

namespace tamp::wire {

// A node has some hundred pods, and its document some hundred kilobytes.
inline constexpr std::size_t kMaxObservationBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxObservedPods = 2048;
inline constexpr std::size_t kMaxObservedText = 512;  // bytes of a name

// One document, as an agent serves it.
Result<Observation> read_observation(const std::string& bytes);

// A JSON array of documents (or one alone), as recorded in a file. Of several of one node the newest counts; of equally old
// ones the first.
Result<Observations> read_observations(const std::string& bytes);

// Puts observations into the order that find_observation() needs, the newest of each node alone.
Observations newest_of_each_node(std::vector<Observation> all);

}  // namespace tamp::wire
