// The command line of tamp-agent. Each flag has an environment variable, which it overrides.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "base/result.h"
#include "model/policy.h"

namespace tamp::agent {

enum class Verb { Help, Version, Observe, Serve };

struct Flags {
  Verb verb = Verb::Help;
  AgentOptions agent;
  std::string pods;  // a file; "-" is standard input
  Duration seconds = Duration::seconds(10);
  TierFloors tiers;
  // Of `serve`; loopback only.
  std::string address = "127.0.0.1";
  std::uint16_t port = 9470;
};

using Environment = std::function<std::optional<std::string>(const std::string&)>;

Result<Flags> parse_flags(const std::vector<std::string>& arguments, const Environment& environment);
std::string help_text();

}  // namespace tamp::agent
