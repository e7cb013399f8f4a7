// What the agent tells Prometheus, in its text format. What is not known is left out: an absent series is no 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/observation.h"

namespace tamp::agent {

// How it serves, beside what it measures.
struct ServiceFigures {
  std::vector<std::pair<int, std::uint64_t>> refused = {};  // status code, how often
  std::optional<double> pods_age_seconds = {};              // since who runs here was last heard
  std::optional<std::uint64_t> annotation_writes = {}, annotation_failures = {};
};

std::string write_metrics(const Snapshot& snapshot, const ServiceFigures& figures = {});

}  // namespace tamp::agent
