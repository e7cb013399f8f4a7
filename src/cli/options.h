// What the user asked for: the command line and the environment, checked. Flags win over the environment.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "decide/plan.h"
#include "model/settings.h"

namespace tamp::cli {

enum class Verb : std::uint8_t { Help, Version, Plan, Explain, Fits };
enum class Format : std::uint8_t { Table, Json, Yaml };
enum class ColorWish : std::uint8_t { Auto, Always, Never };

struct Options {
  Verb verb = Verb::Help;
  std::string help;  // the text to print, for Verb::Help

  std::vector<std::string> files;  // "-" is standard input
  std::optional<std::string> instance_types;
  std::optional<std::string> prices;
  std::optional<std::string> policy;
  std::optional<Time> now;  // absent: the clock
  std::optional<Time> last_node_deleted;
  bool planner_given = false;
  decide::PlanOptions plan;
  bool all_methods = true;  // --method all, or none given
  FlagSettings settings;

  std::string subject;  // explain: a node; fits: a pod or namespace/pod
  bool all_pods = false;

  Format format = Format::Table;
  ColorWish color = ColorWish::Auto;
  bool timings = false;
  std::vector<std::string> notes;  // for standard error: what was accepted without effect
};

// The value of an environment variable, nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

// `arguments` is argv. An error is a usage error: exit status 2.
Result<Options> parse_options(std::span<const char* const> arguments, const Environment& environment);

}  // namespace tamp::cli
