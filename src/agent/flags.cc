#include "agent/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/number.h"

namespace tamp::agent {
namespace {

constexpr std::int64_t kLongest = 7 * 86400;  // seconds
constexpr Duration kShortestInterval{100'000'000}, kLongestInterval = Duration::seconds(5);

Result<std::int64_t> whole_number(std::string_view text, std::int64_t least, std::int64_t most) {
  const auto value = read_number<std::int64_t>(text);
  if (value && *value >= least && *value <= most) return *value;
  return Error{fmt::format("is \"{}\", must be a whole number from {} to {}", text, least, most)};
}

Status set_interval(Flags& flags, std::string_view text) {
  TAMP_TRY(const Duration interval, parse_go_duration(text));
  if (interval < kShortestInterval || interval > kLongestInterval)
    return Error{fmt::format("is {}, must be from {} to {}", text, format_duration(kShortestInterval),
                             format_duration(kLongestInterval))};
  flags.agent.interval = interval;
  return success();
}

Status set_listen(Flags& flags, std::string_view text) {
  const std::size_t colon = text.rfind(':');
  std::string_view address = text.substr(0, colon);
  if (colon == std::string_view::npos) return Error{fmt::format("is \"{}\", must be ADDRESS:PORT", text)};
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  TAMP_TRY(const std::int64_t port, whole_number(text.substr(colon + 1), 0, 65535));
  flags.address = address;
  flags.port = static_cast<std::uint16_t>(port);
  return success();
}

Status set_authenticate(Flags& flags, std::string_view text) {
  if (text != "none" && text != "tokens")
    return Error{fmt::format("is \"{}\", must be none or tokens", text)};
  flags.tokens = text == "tokens";
  return success();
}

Status set_publish(Flags& flags, std::string_view text) {
  if (text != "true" && text != "false") return Error{fmt::format("is \"{}\", must be true or false", text)};
  flags.publish_requests = text == "true";
  return success();
}

Status set_kubelet_url(Flags& flags, std::string_view text) {
  TAMP_CHECK(parse_kubelet_url(text));
  flags.kubelet_url = text;
  return success();
}

template <std::string Flags::* field>
Status set_text(Flags& flags, std::string_view text) {
  flags.*field = text;
  return success();
}

Status set_floor(std::int32_t& floor, std::string_view text) {
  TAMP_TRY(const std::int64_t value, whole_number(text, INT32_MIN, INT32_MAX));
  floor = static_cast<std::int32_t>(value);
  return success();
}

struct Flag {
  std::string_view name, variable, argument, help;
  Status (*set)(Flags&, std::string_view);
};

const std::array<Flag, 19> kFlags = {{
    {"--cgroup-root", "CGROUP_ROOT", "DIR",
     "where cgroups are mounted, or any directory below (/sys/fs/cgroup)",
     [](Flags& f, std::string_view v) -> Status {
       f.agent.cgroup_root = v;
       return success();
     }},
    {"--pods", "PODS", "FILE", "the pods, as `kubectl get pods -o json` prints them; - is standard input",
     set_text<&Flags::pods>},
    {"--kubelet-url", "KUBELET_URL", "URL",
     "the pods as the kubelet's read-only port lists them: http://127.0.0.1:10255/pods", set_kubelet_url},
    {"--kubeconfig", "", "FILE",
     "how to reach the API server (KUBECONFIG, ~/.kube/config, the pod's account)",
     set_text<&Flags::kubeconfig>},
    {"--seconds", "SECONDS", "N", "how long to measure (10); a window is known once it is full",
     [](Flags& f, std::string_view v) -> Status {
       TAMP_TRY(const std::int64_t seconds, whole_number(v, 0, kLongest));
       f.seconds = Duration::seconds(seconds);
       return success();
     }},
    {"--node-name", "NODE_NAME", "NAME", "which node this is (as the pods have it, or the host's name)",
     [](Flags& f, std::string_view v) -> Status {
       f.agent.node = v;
       return success();
     }},
    {"--listen", "LISTEN", "ADDRESS:PORT", "where `serve` answers (127.0.0.1:9470); :PORT is every interface",
     set_listen},
    {"--authenticate", "AUTHENTICATE", "none|tokens",
     "tokens: callers need a bearer token and the right to get the path (none)", set_authenticate},
    {"--token-audience", "TOKEN_AUDIENCE", "NAME", "for whom their tokens must be (the API server)",
     set_text<&Flags::token_audience>},
    {"--client-ca-file", "CLIENT_CA_FILE", "FILE", "callers may show a certificate that these have signed",
     set_text<&Flags::client_authority_file>},
    {"--client-name", "CLIENT_NAME", "NAME", "the common name that it must have (any)",
     set_text<&Flags::client_name>},
    {"--tls-cert-file", "TLS_CERT_FILE", "FILE",
     "the agent's certificate, read again when it changes (its own)", set_text<&Flags::certificate_file>},
    {"--tls-key-file", "TLS_KEY_FILE", "FILE", "and its key", set_text<&Flags::private_key_file>},
    {"--publish-requests", "PUBLISH_REQUESTS", "true|false",
     "write temper.codes/requests on this node (false)", set_publish},
    {"--interval", "INTERVAL", "DURATION", "from one reading to the next (1s)", set_interval},
    {"--tier-critical", "TIER_CRITICAL", "PRIORITY", "the least priority of the tier Critical (1000000)",
     [](Flags& f, std::string_view v) { return set_floor(f.tiers.critical, v); }},
    {"--tier-high", "TIER_HIGH", "PRIORITY", "of High (100000)",
     [](Flags& f, std::string_view v) { return set_floor(f.tiers.high, v); }},
    {"--tier-normal", "TIER_NORMAL", "PRIORITY", "of Normal (0)",
     [](Flags& f, std::string_view v) { return set_floor(f.tiers.normal, v); }},
    {"--tier-low", "TIER_LOW", "PRIORITY", "of Low (-100); what is below is Background",
     [](Flags& f, std::string_view v) { return set_floor(f.tiers.low, v); }},
}};

Status set(Flags& flags, const Flag& flag, std::string_view called, std::string_view value) {
  auto status = flag.set(flags, value);
  return status ? std::move(status) : Status(std::move(status).error().with(called));
}

Status check_together(const Flags& flags) {
  if (!flags.pods.empty() && !flags.kubelet_url.empty())
    return Error{"--pods and --kubelet-url: only one of them can say who runs here"};
  if (flags.certificate_file.empty() != flags.private_key_file.empty())
    return Error{"--tls-cert-file and --tls-key-file: one is of no use without the other"};
  if (!flags.client_name.empty() && flags.client_authority_file.empty())
    return Error{"--client-name: is of no use without --client-ca-file"};
  if (!flags.certificate_file.empty() && !flags.authenticates())
    return Error{"--tls-cert-file: is of no use without --authenticate=tokens or --client-ca-file"};
  if (flags.publish_requests && !flags.pods.empty())
    return Error{"--publish-requests: what a file says of this node is not published"};
  if (flags.address != "127.0.0.1" && flags.address != "::1" && !flags.authenticates())
    return Error{
        fmt::format("--listen: {}: without --authenticate=tokens or --client-ca-file the address must be "
                    "127.0.0.1 or [::1]",
                    flags.address)};
  return success();
}

Result<Verb> verb_of(std::string_view word) {
  if (word == "help" || word == "--help" || word == "-h") return Verb::Help;
  if (word == "version" || word == "--version") return Verb::Version;
  if (word == "observe") return Verb::Observe;
  if (word == "serve") return Verb::Serve;
  return Error{fmt::format("unknown command \"{}\"; try `tamp-agent help`", word)};
}

}  // namespace

Result<KubeletAddress> parse_kubelet_url(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  const std::size_t slash = url.find('/', kScheme.size());
  if (!url.starts_with(kScheme) || slash == std::string_view::npos || slash == kScheme.size())
    return Error{fmt::format("is \"{}\", must be like http://127.0.0.1:10255/pods", url)};
  return KubeletAddress{std::string(url.substr(0, slash)), std::string(url.substr(slash))};
}

Result<Flags> parse_flags(const std::vector<std::string>& arguments, const Environment& environment) {
  Flags flags;
  if (arguments.empty()) return flags;
  TAMP_TRY(flags.verb, verb_of(arguments[0]));
  if (flags.verb == Verb::Help || flags.verb == Verb::Version) return flags;
  for (const Flag& flag : kFlags)
    if (const auto value = flag.variable.empty() ? std::nullopt : environment(std::string(flag.variable));
        value && !value->empty())
      TAMP_CHECK(set(flags, flag, flag.variable, *value));
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    if (name == "--help" || name == "-h") {
      flags.verb = Verb::Help;
      return flags;
    }
    const auto flag =
        std::find_if(kFlags.begin(), kFlags.end(), [&](const Flag& f) { return f.name == name; });
    if (flag == kFlags.end()) return Error{fmt::format("unknown flag \"{}\"; try `tamp-agent help`", name)};
    if (equals != std::string_view::npos) {
      TAMP_CHECK(set(flags, *flag, name, argument.substr(equals + 1)));
    } else {
      if (++i == arguments.size()) return Error{fmt::format("{}: needs a value", name)};
      TAMP_CHECK(set(flags, *flag, name, arguments[i]));
    }
  }
  TAMP_CHECK(check_together(flags));
  return flags;
}

std::string help_text() {
  std::string text =
      "tamp-agent: what the kernel measured of each pod of this node\n\n"
      "  tamp-agent observe [flags]   measures for a while and prints what it saw, as JSON\n"
      "  tamp-agent serve [flags]     measures all the time and answers GET /observe, /metrics, /healthz and "
      "/readyz\n"
      "  tamp-agent version\n\n"
      "flags, each also as an environment variable:\n";
  for (const Flag& flag : kFlags)
    text += fmt::format("  {:<28} {:<14} {}\n", fmt::format("{} {}", flag.name, flag.argument), flag.variable,
                        flag.help);
  return text +
         "\nWithout --pods and --kubelet-url the API server says which pods are bound to this node. "
         "What is not known is null, never 0. Exit status: 0 measured, 2 bad input or usage, 1 anything "
         "else.\n";
}

}  // namespace tamp::agent
