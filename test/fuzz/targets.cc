#include "fuzz/targets.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "core/time.h"
#include "fuzz/agent_targets.h"
#include "fuzz/api_targets.h"
#include "fuzz/check_cluster.h"
#include "fuzz/kinds_targets.h"
#include "fuzz/kube_targets.h"
#include "fuzz/patch_targets.h"
#include "fuzz/require.h"
#include "fuzz/run_targets.h"
#include "fuzz/store_targets.h"
#include "situation/resolve_settings.h"
#include "wire/admission.h"
#include "wire/cron.h"
#include "wire/duration.h"
#include "wire/exec_credential.h"
#include "wire/kubeconfig.h"
#include "wire/observation.h"
#include "wire/quantity.h"
#include "wire/snapshot.h"
#include "wire/value.h"
#include "wire/yaml.h"
#include "wire/yaml_scalar.h"

namespace tamp::fuzz {
namespace {

// Whatever was read is whole; whatever was refused says why.
void check(const Result<wire::Reading>& reading) {
  if (!reading) return require(!reading.error().message.empty(), "an error has a message");
  const std::string problem = testing::check_cluster(reading->cluster);
  require(problem.empty(), problem);
  FlagSettings compat;
  compat.karpenter_compat = true;
  for (const FlagSettings& flags : {FlagSettings(), compat})
    require(
        situation::resolve_settings(reading->cluster, flags).pools.size() == reading->cluster.pools.size(),
        "every pool has settings");
}

void snapshot(std::string_view bytes) {
  wire::Inputs inputs;
  inputs.objects.push_back({"objects", std::string(bytes)});
  check(wire::read_snapshot(inputs));
}

constexpr const char* kNodes =
    R"({"apiVersion":"v1","kind":"NodeList","items":[
  {"metadata":{"name":"a","labels":{"rack":"r1","node.kubernetes.io/instance-type":"m5.large",
                                    "topology.kubernetes.io/region":"us-east-1"}},"spec":{"providerID":"aws:///us-east-1a/i-1"}},
  {"metadata":{"name":"b","labels":{"karpenter.sh/nodepool":"p","node.kubernetes.io/instance-type":"c5.large"}}}]})";
constexpr const char* kTypes =
    R"([{"name":"m5.large","resources":{"cpu":"2","memory":"8Gi"},"offerings":[{"Price":0.1,"Requirements":[
  {"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand"]},
  {"key":"topology.kubernetes.io/zone","operator":"In","values":["us-east-1a"]}]}]}])";

wire::Inputs nodes() {
  wire::Inputs inputs;
  inputs.objects.push_back({"nodes", kNodes});
  return inputs;
}

void policy(std::string_view bytes) {
  wire::Inputs inputs = nodes();
  inputs.policy = wire::Input{"policy", std::string(bytes)};
  check(wire::read_snapshot(inputs));
}

void catalogue(std::string_view bytes) {
  wire::Inputs inputs = nodes();
  inputs.instance_types = wire::Input{"types", std::string(bytes)};
  const auto reading = wire::read_snapshot(inputs);
  check(reading);
  if (!reading) return;
  for (const InstanceType& type : reading->cluster.catalogue->types) {
    for (const auto& amount : type.allocatable)
      require(amount.amount >= 0 && amount.amount <= type.capacity.get(amount.id),
              "allocatable is within capacity");
    for (const Offering& offering : type.offerings)
      require(offering.price >= Money{}, "no price is negative");
  }
}

void prices(std::string_view bytes) {
  wire::Inputs inputs = nodes();
  inputs.instance_types = wire::Input{"types", kTypes};
  inputs.prices = wire::Input{"prices", std::string(bytes)};
  const auto reading = wire::read_snapshot(inputs);
  check(reading);
  if (!reading) return;
  for (const Node& node : reading->cluster.nodes)
    require(!node.price_override || *node.price_override >= Money{}, "no price is negative");
}

// Whoever can be answered is answered, and what they asked for is not read further than it goes.
void admission(std::string_view bytes) {
  const auto request = wire::decode_admission(std::string(bytes));
  if (!request) return require(!request.error().message.empty(), "an error has a message");
  require(!request->uid.empty(), "a review that can be answered has a uid");
  wire::AdmissionAnswer answer;
  answer.uid = request->uid;
  answer.approver = request->username;
  answer.warnings = request->groups;
  if (request->policy && !*request->policy) answer.message = request->policy->error().message;
  if (request->run && !*request->run) answer.message = request->run->error().message;
  for (const bool allowed : {false, true}) {
    answer.allowed = allowed;
    const auto json = wire::Json::parse(wire::encode_admission(answer));
    require(json.ok(), "an answer is JSON: " + (json ? "" : json.error().message));
    require(json->root().get("response").get("uid").string() == request->uid,
            "the answer is to the question");
  }
}

void yaml(std::string_view bytes) {
  const auto documents = wire::yaml_to_json(std::string(bytes));
  if (!documents) return require(!documents.error().message.empty(), "an error has a message");
  for (const std::string& text : *documents) {
    const auto json = wire::Json::parse(text);
    require(json.ok(), "YAML becomes JSON: " + (json ? "" : json.error().message));
  }
}

void quantity(std::string_view bytes) {
  const auto quantity = wire::parse_quantity(bytes);
  if (!quantity) return;
  require(quantity->negative() == (quantity->units() < 0), "rounding keeps the sign");
  const auto again = wire::parse_quantity(quantity->canonical());
  require(again.ok() && again->nanos == quantity->nanos, "the canonical text means the same");
}

void cron(std::string_view bytes) {
  const auto schedule = wire::parse_cron(bytes);
  if (!schedule) return require(!schedule.error().message.empty(), "an error has a message");
  require((schedule->minute >> 60) == 0 && (schedule->hour >> 24) == 0 && (schedule->day >> 32) == 0 &&
              (schedule->month >> 13) == 0 && (schedule->weekday >> 7) == 0,
          "no bit lies outside its field");
  require((schedule->day & 1) == 0 && (schedule->month & 1) == 0, "days and months start at one");
  require(!schedule->every || schedule->every->ns >= 1'000'000'000, "every is a second at least");
}

void time(std::string_view bytes) {
  if (const auto moment = parse_rfc3339(bytes)) {
    const auto again = parse_rfc3339(format_rfc3339(*moment));
    require(again.ok() && again->unix_seconds() == moment->unix_seconds(), "a time reads back");
  }
  if (const auto span = parse_go_duration(bytes)) {
    const std::string text = format_duration(*span);
    require(parse_go_duration(text).ok(), "a duration reads back: " + text);
  }
  if (const auto span = wire::parse_duration_or_never(bytes))
    require(!span->value || span->value->ns >= 0, "no such duration is negative");
  wire::resolve_plain(bytes);
}

// The first byte says where a second file begins, so that merging is tried as well.
void kubeconfig(std::string_view bytes) {
  const std::size_t cut =
      bytes.empty() ? 0 : std::min<std::size_t>(static_cast<unsigned char>(bytes[0]), bytes.size());
  const std::array<wire::KubeconfigFile, 2> split = {
      {{"one", "/one", std::string(bytes.substr(0, cut))}, {"two", "/two", std::string(bytes.substr(cut))}}};
  const std::array<wire::KubeconfigFile, 1> whole = {{{"one", "/one", std::string(bytes)}}};
  for (const std::span<const wire::KubeconfigFile> files :
       {std::span<const wire::KubeconfigFile>(split), std::span<const wire::KubeconfigFile>(whole)}) {
    const auto config = wire::read_kubeconfig(files);
    if (!config) {
      require(!config.error().message.empty(), "an error has a message");
      continue;
    }
    for (const wire::KubeconfigUser& user : config->users)
      if (user.exec) require(!user.exec->command.empty(), "a plugin has a command");
    const auto choice = wire::choose_context(*config, "");
    if (!choice) continue;
    require(choice->cluster.server.starts_with("http"), "a cluster that is chosen has a server");
    if (!choice->user.exec) continue;
    wire::ExecPlugin plugin = *choice->user.exec;
    plugin.provide_cluster_info = true;
    require(wire::Json::parse(wire::write_exec_info(plugin, choice->cluster, "ca", true)).ok(),
            "what a plugin is told is JSON");
  }
}

void exec_credential(std::string_view bytes) {
  const auto credential = wire::read_exec_credential(std::string(bytes), "client.authentication.k8s.io/v1");
  if (!credential) return require(!credential.error().message.empty(), "an error has a message");
  require(!credential->token.empty() || !credential->certificate.empty(), "a credential holds something");
  require(credential->certificate.empty() == credential->key.empty(), "a certificate has its key");
}

// What an agent may send, or a file of recordings.
void observation(std::string_view bytes) {
  const std::string text(bytes);
  const auto one = wire::read_observation(text);
  const auto all = wire::read_observations(text);
  if (!one) require(!one.error().message.empty(), "an error has a message");
  if (!all) return require(!all.error().message.empty(), "an error has a message");
  for (std::size_t i = 0; i < all->size(); ++i) {
    const Observation& o = (*all)[i];
    require(!o.node.empty(), "an observation names its node");
    require(i == 0 || (*all)[i - 1].node < o.node, "each node is observed once, in order");
    require(find_observation(*all, o.node) == &o, "an observation is found by its node");
    require(o.pods.size() <= wire::kMaxObservedPods, "the number of pods is bounded");
    for (const PodObservation& pod : o.pods) require(pod.samples >= 0, "counts are not negative");
  }
}

constexpr std::array<Target, 27> kTargets = {{{"admission", admission},
                                              {"kernel_files", kernel_files},
                                              {"node_pods", node_pods},
                                              {"tier_requests", tier_requests},
                                              {"autoscaler_status", autoscaler_status},
                                              {"access_review", access_review},
                                              {"snapshot", snapshot},
                                              {"store", store},
                                              {"patch", patch},
                                              {"run", run},
                                              {"expression", expression},
                                              {"definition", definition},
                                              {"dump", dump},
                                              {"policy", policy},
                                              {"catalogue", catalogue},
                                              {"prices", prices},
                                              {"yaml", yaml},
                                              {"quantity", quantity},
                                              {"cron", cron},
                                              {"time", time},
                                              {"watch", watch},
                                              {"api_status", api_status},
                                              {"api_request", api_request},
                                              {"lease", lease},
                                              {"observation", observation},
                                              {"kubeconfig", kubeconfig},
                                              {"exec_credential", exec_credential}}};

}  // namespace

std::span<const Target> targets() { return kTargets; }

}  // namespace tamp::fuzz
