// Is there headroom on every survivor, by what the pods really use? CPU of Background pods does not count: they take what is
// idle and give it back. Memory is not given back, so that everybody's counts.
#include <fmt/format.h>

#include "proof/checks.h"
#include "proof/prediction.h"

namespace tamp::proof::checks {
namespace {

constexpr std::string_view kName = "predicted-usage";
constexpr double kMebibyte = 1024.0 * 1024.0;

}  // namespace

Check predicted_usage(const Motion& motion) {
  const GuardSettings& guards = motion.guards();
  const Prediction prediction = predict(motion);
  if (!prediction.unknown.empty())
    return failed(kName, fmt::format("the usage of pod {} is not known", prediction.unknown),
                  prediction.unknown);
  double most_cpu = 0, most_memory = 0;
  for (const PredictedNode& node : prediction.nodes) {
    if (node.cores < 1 || node.memory_bytes < 1)
      return failed(kName, fmt::format("the machine of {} is not known", node.node), node.node);
    const double cpu_limit = guards.cpu_headroom * static_cast<double>(node.cores);
    if (node.cpu > cpu_limit)
      return failed(kName,
                    fmt::format("{} would use {:.2f} cores > {:.2f} ({:.0f}% of {})", node.node, node.cpu,
                                cpu_limit, guards.cpu_headroom * 100, node.cores),
                    node.node);
    const double memory = static_cast<double>(node.memory), whole = static_cast<double>(node.memory_bytes);
    if (memory > guards.memory_headroom * whole)
      return failed(kName,
                    fmt::format("{} would use {:.0f} MiB > {:.0f} MiB ({:.0f}% of {:.0f} MiB)", node.node,
                                memory / kMebibyte, guards.memory_headroom * whole / kMebibyte,
                                guards.memory_headroom * 100, whole / kMebibyte),
                    node.node);
    most_cpu = std::max(most_cpu, node.cpu / static_cast<double>(node.cores));
    most_memory = std::max(most_memory, memory / whole);
  }
  return passed(
      kName,
      fmt::format(
          "at most {:.0f}% of cpu and {:.0f}% of memory of a survivor, the limits are {:.0f}% and {:.0f}%",
          most_cpu * 100, most_memory * 100, guards.cpu_headroom * 100, guards.memory_headroom * 100));
}

}  // namespace tamp::proof::checks
