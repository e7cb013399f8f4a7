// What the benches share: processor time, so that what others do on the machine does not count, and reading a cluster from files.
#pragma once

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "wire/snapshot.h"

namespace tamp::bench {

// Of this process.
inline double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Milliseconds of the quickest of so many runs.
template <typename F>
double best_of(int runs, F&& f) {
  double best = 1e18;
  for (int i = 0; i < runs; ++i) {
    const double start = cpu_ms();
    f();
    best = std::min(best, cpu_ms() - start);
  }
  return best;
}

// Nothing, and why on standard error, if they cannot be read.
inline std::optional<wire::Reading> read_cluster(const char* cluster, const char* instance_types) {
  const auto bytes = [](const char* path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  };
  wire::Inputs inputs;
  inputs.objects.push_back({cluster, bytes(cluster)});
  inputs.instance_types = wire::Input{instance_types, bytes(instance_types)};
  auto reading = wire::read_snapshot(inputs);
  if (reading) return *std::move(reading);
  fmt::print(stderr, "{}\n", reading.error().message);
  return std::nullopt;
}

}  // namespace tamp::bench
