// The command line of tamp-agent. Each flag has an environment variable, which it overrides.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/agent.h"
#include "core/policy.h"
#include "core/result.h"

namespace tamp::agent {

enum class Verb { Help, Version, Observe, Serve };

struct Flags {
  Verb verb = Verb::Help;
  AgentOptions agent;
  // Who runs here: a file ("-" is standard input), a kubelet's list, or neither: the API server.
  std::string pods;
  std::string kubelet_url;
  std::string kubeconfig;  // a path; empty: as kubectl has it, or the account of the pod
  Duration seconds = Duration::seconds(10);
  TierFloors tiers;

  // Of `serve`. Beyond loopback there must be a way to tell who calls: tokens, or an authority of clients.
  std::string address = "127.0.0.1";
  std::uint16_t port = 9470;
  bool tokens = false;
  std::string token_audience;                      // empty: the API server's
  std::string client_authority_file, client_name;  // mutual TLS; any name if empty
  std::string certificate_file, private_key_file;  // empty: made by the agent
  bool publish_requests = false;

  bool authenticates() const { return tokens || !client_authority_file.empty(); }
  bool asks_api() const { return (pods.empty() && kubelet_url.empty()) || tokens || publish_requests; }
};

// "http://127.0.0.1:10255/pods" in two: the server, and the path on it.
struct KubeletAddress {
  std::string server, path;
};
Result<KubeletAddress> parse_kubelet_url(std::string_view url);

using Environment = std::function<std::optional<std::string>(const std::string&)>;

Result<Flags> parse_flags(const std::vector<std::string>& arguments, const Environment& environment);
std::string help_text();

}  // namespace tamp::agent
