#include "e2e/small_cluster.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "e2e/program.h"

namespace tamp::e2e {
namespace {

using wire::Json;
using wire::ObjectKind;
using wire::Value;

constexpr std::size_t kTypesCompared = 100;  // a status holds no more

void must(const net::Reply& reply, const std::string& what) {
  if (reply.ok()) return;
  std::fprintf(stderr, "e2e: %s: %s\n", what.c_str(), reply.error->text().c_str());
  std::exit(1);  // NOLINT(concurrency-mt-unsafe): the program ends
}

Decision decision(Value commands, Value counts) {
  Decision out{text_at(counts, {"nodes"}), text_at(counts, {"pods"}), {}, {}};
  for (const Value command : commands.elements()) {
    std::string& line = out.commands.emplace_back(text_at(command, {"method"}));
    line += " " + text_at(command, {"decision"});
    // A published plan has its victims in the order of names, a decision in that of their costs.
    std::set<std::string> nodes;
    for (const Value node : command.get("nodes").elements()) nodes.emplace(node.string().value_or(""));
    for (const std::string& node : nodes) line.append(" ").append(node);
    out.victims.insert(nodes.begin(), nodes.end());
    const Value replacement = command.get("replacement");
    if (!replacement.present()) continue;
    line += " by " + text_at(replacement, {"nodePool"}) + ":";
    std::size_t types = 0;
    for (const Value type : replacement.get("instanceTypes").elements())
      if (++types <= kTypesCompared) line += " " + std::string(type.string().value_or(""));
  }
  return out;
}

}  // namespace

std::vector<std::string> decision_flags() {
  return {"--instance-types", environment("TAMP_E2E_INSTANCE_TYPES")};
}

std::string Decision::text() const {
  std::string out = nodes + " nodes, " + pods + " pods";
  for (const std::string& command : commands) out += "; " + command;
  return out;
}

SmallCluster::SmallCluster(int nodes, int pods) : admin_(environment("KUBECONFIG")) {
  install();
  const Finished loaded = run({"python3", environment("TAMP_E2E_LOAD"), "--nodes", std::to_string(nodes),
                               "--pods", std::to_string(pods)});
  if (loaded.status != 0) {
    std::fprintf(stderr, "e2e: load.py: %s%s\n", loaded.out.c_str(), loaded.err.c_str());
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): the program ends
  }
  must(apply_policy(), "the policy");
}

net::Reply SmallCluster::apply_policy(const std::string& disruption_more) {
  // Nodes are seconds old, and their NodePools leave Karpenter nothing: both is overruled.
  return admin_.apply(
      net::kTemperPolicies, "", "default",
      R"({"apiVersion":"temper.codes/v1alpha1","kind":"TemperPolicy","metadata":{"name":"default"},
          "spec":{"planner":"Requests","minNodeLifetime":"0s","disruption":{
            "consolidationPolicy":"WhenEmptyOrUnderutilized","consolidateAfter":"0s","budgets":[{"nodes":"100%"}])" +
          disruption_more + "}}}");
}

std::optional<Decision> SmallCluster::published() {
  const net::Reply reply = admin_.get(net::kTemperPolicies, "", "default");
  if (!reply.ok()) return std::nullopt;
  const Json json = parse(reply.body);
  const Value status = json.root().get("status");
  if (!status.get("summary").present()) return std::nullopt;
  return decision(status.get("plan").get("commands"), status.get("summary"));
}

std::optional<Decision> SmallCluster::asked() {
  std::vector<std::string> command = {tamp_program(), "plan", "-o", "json"};
  for (std::string& flag : decision_flags()) command.push_back(std::move(flag));
  const Finished finished = run(command);
  why_ = finished.err;
  if (finished.status != 0) return std::nullopt;
  const Json json = parse(finished.out);
  return decision(json.root().get("commands"), json.root().get("cluster"));
}

bool SmallCluster::agreement(Duration within) {
  return wait_until(within, [this] {
    const auto is = published();
    return is && is == asked();
  });
}

void SmallCluster::annotate(const std::string& node, const std::string& value) {
  must(admin_.patch(net::kNodes, "", node, "", net::PatchType::Merge,
                    R"({"metadata":{"annotations":{"temper.codes/pause":)" + value + "}}}"),
       "annotating " + node);
}

void SmallCluster::forget_lease() {
  const net::Reply reply = admin_.remove(net::kLeases, "tamp-system", "tamp-controller");
  if (!reply.ok() && reply.error->kind != net::ApiError::Kind::NotFound) must(reply, "the Lease");
}

std::vector<AuditedRequest> requests_of(const std::string& name) {
  const std::string credential = "JTI=" + name;
  std::vector<AuditedRequest> requests;
  std::ifstream log(environment("TAMP_E2E_AUDIT_LOG"));
  for (std::string line; std::getline(log, line);) {
    if (line.find("\"" + credential + "\"") == std::string::npos) continue;
    // The line that is just being written is not whole.
    const auto event = Json::parse(line);
    if (!event.ok()) continue;
    const Value root = event->root(), object = root.get("objectRef");
    const auto received = parse_rfc3339(text_at(root, {"requestReceivedTimestamp"}));
    if (!received.ok()) continue;
    requests.push_back({*received, text_at(root, {"verb"}), text_at(object, {"resource"}),
                        text_at(object, {"subresource"}),
                        static_cast<int>(root.get("responseStatus").get("code").integer().value_or(0))});
  }
  return requests;
}

Time wall_clock() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return Time{std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
}

}  // namespace tamp::e2e
