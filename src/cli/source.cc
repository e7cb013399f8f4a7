#include "cli/source.h"

#include <algorithm>

#include "cli/files.h"

namespace tamp::cli {
namespace {

Result<std::optional<wire::Input>> read_optional(const std::optional<std::string>& path) {
  if (!path) return std::optional<wire::Input>{};
  TAMP_TRY(wire::Input input, read_input(*path));
  return std::optional(std::move(input));
}

// Standard input can be read once.
Status check_stdin(const Options& options) {
  auto uses = std::count(options.files.begin(), options.files.end(), "-");
  for (const auto* path : {&options.instance_types, &options.prices, &options.policy, &options.observe})
    if (*path == "-") ++uses;
  if (uses > 1) return Error{"standard input (-) can be read for one file only"};
  return success();
}

Result<ClusterReading> read_files(const Options& options) {
  TAMP_CHECK(check_stdin(options));
  wire::Inputs inputs;
  for (const std::string& path : options.files) {
    TAMP_TRY(wire::Input input, read_input(path));
    inputs.objects.push_back(std::move(input));
  }
  TAMP_TRY(inputs.instance_types, read_optional(options.instance_types));
  TAMP_TRY(inputs.prices, read_optional(options.prices));
  TAMP_TRY(inputs.policy, read_optional(options.policy));
  TAMP_TRY(wire::Reading reading, wire::read_snapshot(inputs));
  return ClusterReading{std::move(reading), std::nullopt, NodeId()};
}

}  // namespace

ClusterSource file_source(const Options& options) {
  return [options] { return read_files(options); };
}

}  // namespace tamp::cli
