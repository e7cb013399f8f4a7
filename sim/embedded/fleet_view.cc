#include "sim/embedded/fleet_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/kubelet/amounts.h"

namespace tamp::embed {
namespace {

using terminal::FleetNode;
using wire::Tree;
using world::api::Object;
using world::api::ResourceId;

struct Load {
  std::int64_t cpu = 0, memory = 0;
  std::size_t pods = 0;
};

bool has_ended(const Object& pod) {
  const std::string_view phase = pod.status()["phase"].string();
  return phase == "Succeeded" || phase == "Failed";
}

std::string pool_of(const Tree& labels) {
  for (const char* key : {"karpenter.sh/nodepool", "cloud.google.com/gke-nodepool"})
    if (labels.has(key)) return std::string(labels[key].string());
  return "nodes";
}

bool is_going(const Object& node) {
  const auto& taints = node.spec()["taints"].elements();
  return node.terminating() || std::any_of(taints.begin(), taints.end(), [](const Tree& taint) {
           const std::string_view key = taint["key"].string();
           return key == "karpenter.sh/disrupted" || key == "ToBeDeletedByClusterAutoscaler";
         });
}

// By a run that gave up its cordon: some autoscalers leave cordoned nodes alone.
bool is_kept_empty(const Object& node) {
  const auto& taints = node.spec()["taints"].elements();
  return std::any_of(taints.begin(), taints.end(),
                     [](const Tree& taint) { return taint["key"].string() == "temper.codes/consolidating"; });
}

FleetNode::State state_of(const Object& node, const std::set<std::string_view>& planned) {
  using State = FleetNode::State;
  if (is_going(node)) return State::Going;
  if (!world::api::condition_true(node.tree(), "Ready"))
    return world::api::find_condition(node.tree(), "Ready") == nullptr ? State::Joining : State::NotReady;
  if (node.spec()["unschedulable"].boolean() || is_kept_empty(node)) return State::Cordoned;
  return planned.contains(node.name()) ? State::Planned : State::Ready;
}

terminal::FleetRun run_of(const Object& object) {
  const Tree& status = object.status();
  terminal::FleetRun run;
  run.name = object.name();
  run.phase = status["phase"].string("Approved");
  run.reason = status["reason"].string();
  run.over = run.phase == "Succeeded" || run.phase == "RolledBack";
  for (const Tree& move : status["journal"]["moves"].elements()) {
    ++run.of;
    if (move.has("left")) ++run.left;
  }
  return run;
}

std::string dollars(const Tree& amount) {
  return format_money(Money::from_dollars(amount.number()), 3) + "/h";
}

std::string joined(const Tree& names, std::size_t count) {
  std::string out;
  std::size_t shown = 0;
  for (const Tree& name : names.elements()) {
    if (shown == 4) break;
    out += (shown++ == 0 ? "" : ", ") + std::string(name.is_object() ? name["name"].string() : name.string());
  }
  if (count > shown) out += fmt::format(" and {} more", count - shown);
  return out;
}

std::string command_line(const Tree& command) {
  const auto nodes = static_cast<std::size_t>(command["nodeCount"].integer());
  const std::string names = joined(command["nodes"], nodes);
  const Tree& replacement = command["replacement"];
  std::string line = replacement.is_null() ? "remove " + names : "replace " + names;
  if (!replacement.is_null() && !replacement["instanceTypes"].empty())
    line += " by " + std::string(replacement["instanceTypes"].elements()[0].string());
  return line + fmt::format(": {} pods move, saves {} (needs {})", command["podCount"].integer(),
                            dollars(command["hourlySavings"]), dollars(command["requiredSavings"]));
}

std::string reason_line(const Tree& reason) {
  const std::int64_t nodes = reason["nodes"].integer();
  std::string line =
      fmt::format("{} {}: {}", nodes, nodes == 1 ? "node stays" : "nodes stay", reason["reason"].string());
  if (reason.has("hourlyCost")) line += " (" + dollars(reason["hourlyCost"]) + ")";
  return line + "  " + std::string(reason["message"].string());
}

}  // namespace

terminal::FleetPage view_fleet(const world::World& world, const world::Machines& machines) {
  const world::api::Server& server = world.api();
  terminal::FleetPage page;
  page.now = world.now();

  std::set<std::string_view> planned;
  world::api::ObjectPtr policy;
  if (const auto policies = server.find_resource("temper.codes", "temperpolicies"))
    policy = server.get(*policies, "", "default");
  if (policy) {
    const Tree& plan = policy->status()["plan"];
    page.plan_hash = plan["shortHash"].string();
    for (const Tree& command : plan["commands"].elements()) {
      page.plan.push_back(command_line(command));
      for (const Tree& node : command["nodes"].elements())
        planned.insert(node.is_object() ? node["name"].string() : node.string());
    }
    for (const Tree& reason : policy->status()["reasons"].elements())
      page.reasons.push_back(reason_line(reason));
  }

  if (const auto runs = server.find_resource("temper.codes", "consolidationruns"))
    for (const auto& [key, run] : server.objects(*runs)) page.runs.push_back(run_of(*run));

  std::map<std::string_view, Load> loads;
  for (const auto& [key, pod] : server.objects(ResourceId::Pods)) {
    if (has_ended(*pod)) continue;
    ++page.pods;
    const std::string_view node = pod->spec()["nodeName"].string();
    if (node.empty()) {
      ++page.pending;
      continue;
    }
    const world::Amounts requests = world::pod_amounts(pod->tree()).requests;
    Load& load = loads[node];
    load.cpu += requests.cpu_millis;
    load.memory += requests.memory_bytes;
    ++load.pods;
  }
  for (const auto& [key, node] : server.objects(ResourceId::Nodes)) {
    const Tree& labels = node->metadata()["labels"];
    FleetNode out;
    out.name = node->name();
    out.pool = pool_of(labels);
    out.type = labels["node.kubernetes.io/instance-type"].string();
    if (const world::Machine* machine = machines.find(out.type))
      if (const world::MachineOffer* offer =
              world::Machines::offer(*machine, labels["topology.kubernetes.io/zone"].string(),
                                     labels["karpenter.sh/capacity-type"].string()))
        out.price = Money::from_dollars(offer->price);
    const world::Amounts room = world::node_amounts(node->tree(), "allocatable");
    const Load& load = loads[node->name()];
    if (room.cpu_millis > 0) out.cpu = static_cast<double>(load.cpu) / static_cast<double>(room.cpu_millis);
    if (room.memory_bytes > 0)
      out.memory = static_cast<double>(load.memory) / static_cast<double>(room.memory_bytes);
    out.pods = load.pods;
    out.state = state_of(*node, planned);
    page.nodes.push_back(std::move(out));
  }
  return page;
}

std::vector<terminal::FleetNews> tell(const std::vector<world::StoryLine>& lines) {
  std::vector<terminal::FleetNews> news;
  for (const world::StoryLine& line : lines) {
    explain::Ink ink = explain::Ink::Plain;
    if (line.who == "karpenter" || line.who == "cluster-autoscaler") {
      ink = line.what == "Removed" ? explain::Ink::Green : explain::Ink::Cyan;
    } else if (line.who == "director") {
      ink = explain::Ink::Bold;
    } else if (line.what == "CrashLoop" || line.what == "Preempted" || line.what == "Evicted") {
      ink = explain::Ink::Red;
    } else {
      continue;  // binding and starting pods is what a cluster does all day
    }
    news.push_back({line.at, ink,
                    fmt::format("{}: {} {}{}", line.who, line.what, line.object,
                                line.text.empty() ? "" : " " + line.text)});
  }
  return news;
}

}  // namespace tamp::embed
