// Kubelets: what they do for their nodes.
#include <fmt/format.h>

#include <algorithm>

#include "sim/kubelet/kubelets.h"
#include "sim/kubelet/news.h"

namespace tamp::world {
namespace {

using api::Object;
using api::ResourceId;
using wire::Tree;
using State = ContainerRun::State;

constexpr std::string_view kLeaseNamespace = "kube-node-lease";
constexpr Duration kRealRenewal = Duration::seconds(10);

std::string_view internal_ip(const Object& node) {
  for (const Tree& address : node.status()["addresses"].elements())
    if (address["type"].string() == "InternalIP") return address["address"].string();
  return {};
}

// A new node's network needs a while; how long, an annotation may say.
Duration until_ready(Stage& stage, const Object& node) {
  const Tree& told = node.metadata()["annotations"]["sim.tamp.dev/ready-after"];
  return parse_time_range(told.string())
      .value_or(TimeRange{Duration::seconds(2), Duration::seconds(10)})
      .draw(stage.dice);
}

std::string new_boot_id(Dice& dice) {
  const std::uint64_t high = dice.next(), low = dice.next();
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xfff,
                     low >> 52, low & 0xffff'ffff'ffff);
}

}  // namespace

void Kubelets::node_changed(Stage& stage, const api::Change& change) {
  const Object& node = change.object();
  const std::string name(node.name());
  auto found = machines_.find(name);
  if (found != machines_.end() && (!change.after || found->second.uid != node.uid())) {
    // The machine has gone, and its pods with it; who collects their objects is not the kubelet.
    const std::set<Key> pods = found->second.pods;
    for (const Key& key : pods) forget(key);
    machines_.erase(found);
    found = machines_.end();
  }
  if (!change.after) return;
  const bool fresh = found == machines_.end();
  if (fresh) {
    found = machines_.try_emplace(name).first;
    found->second.uid = node.uid();
    found->second.network = networks_++;
    found->second.since = stage.now;
  }
  Machine& machine = found->second;
  if (fresh || !change.before || !(change.before->status()["allocatable"] == node.status()["allocatable"])) {
    machine.allocatable = node_amounts(node.tree(), "allocatable");
    const std::int64_t pods = bytes_of(node.status()["allocatable"]["pods"]);
    machine.pods_most = pods > 0 ? pods : 110;
    machine.host_ip = internal_ip(node);
  }
  if (fresh) {
    News(stage, name).tell(node, "Normal", "Starting", "Starting kubelet.");
    renew_lease(stage, name, stage.now);
    if (!beating_) stage.later(options_.renew_leases, {Actor::Kubelets, Beat, {}, {}, 0});
    beating_ = true;
    // Pods that were bound before the node was there.
    std::vector<api::ObjectPtr> waiting;
    for (const auto& [key, pod] : stage.api.objects(ResourceId::Pods))
      if (pod->spec()["nodeName"].string() == name) waiting.push_back(pod);
    for (const api::ObjectPtr& pod : waiting)
      if (!runs_.contains({std::string(pod->ns()), std::string(pod->name())})) take_over(stage, *pod);
  }
  if (machine.alive && !machine.reports_soon && !api::condition_true(node.tree(), "Ready")) {
    machine.reports_soon = true;
    const Duration delay =
        fresh ? until_ready(stage, node) : Duration{stage.dice.between(500'000'000, 3'000'000'000)};
    stage.later(delay, {Actor::Kubelets, Report, {}, name, 0});
  }
}

void Kubelets::report_ready(Stage& stage, const std::string& node, Machine& machine) {
  machine.reports_soon = false;
  if (!machine.alive) return;
  const api::ObjectPtr before = stage.api.get(ResourceId::Nodes, "", node);
  stage.api.modify(ResourceId::Nodes, "", node,
                   [&](Tree& tree) {
                     for (Tree& condition : tree.ensure({"status", "conditions"}).elements())
                       if (condition["status"].string() == "Unknown" && condition["type"].string() != "Ready")
                         api::set_condition(tree, std::string(condition["type"].string()), "False",
                                            "KubeletHasSufficientResources", "kubelet reports no shortage",
                                            stage.now);
                     api::set_condition(tree, "Ready", "True", "KubeletReady",
                                        "kubelet is posting ready status", stage.now);
                     for (Tree& condition : tree.ensure({"status", "conditions"}).elements())
                       condition.set("lastHeartbeatTime", api::format_time(stage.now));
                     if (!machine.boot_id.empty())
                       tree.ensure({"status", "nodeInfo"}).set("bootID", machine.boot_id);
                   },
                   {.manager = "kubelet", .subresource = "status"});
  stage.story.tell(stage.now, "kubelet", "NodeReady", "node " + node);
  if (before && !api::condition_true(before->tree(), "Ready"))
    News(stage, node)
        .tell(*before, "Normal", "NodeReady", fmt::format("Node {} status is now: NodeReady", node));
}

void Kubelets::renew_lease(Stage& stage, const std::string& node, Time renewed) {
  const auto write = [&](Tree& lease) {
    lease.ensure("spec").set("renewTime", api::format_micro_time(renewed));
  };
  if (stage.api.get(ResourceId::Leases, kLeaseNamespace, node)) {
    stage.api.modify(ResourceId::Leases, kLeaseNamespace, node, write, {.manager = "kubelet"});
    return;
  }
  const api::ObjectPtr owner = stage.api.get(ResourceId::Nodes, "", node);
  if (!owner) return;
  Tree lease = Tree::object({{"apiVersion", "coordination.k8s.io/v1"}, {"kind", "Lease"}});
  Tree reference =
      Tree::object({{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}, {"uid", owner->uid()}});
  Tree& metadata = lease.set("metadata", Tree::object({{"name", node}, {"namespace", kLeaseNamespace}}));
  metadata.set("ownerReferences", Tree::array()).append(std::move(reference));
  lease.set("spec", Tree::object({{"holderIdentity", node}, {"leaseDurationSeconds", 40}}));
  write(lease);
  stage.api.create(ResourceId::Leases, kLeaseNamespace, std::move(lease), {.manager = "kubelet"});
}

// ---- faults

void Kubelets::stop(Stage& stage, std::string_view node) {
  Machine* machine = machine_of(node);
  if (machine == nullptr || !machine->alive) return;
  const Duration since = stage.now - machine->since;
  renew_lease(stage, std::string(node), stage.now - Duration{since.ns % kRealRenewal.ns});
  machine->alive = false;
  stage.story.tell(stage.now, "kubelet", "FellSilent", "node " + std::string(node));
}

void Kubelets::resume(Stage& stage, std::string_view node) {
  Machine* machine = machine_of(node);
  if (machine == nullptr || machine->alive) return;
  const std::string name(node);
  machine->alive = true;
  machine->since = stage.now;
  renew_lease(stage, name, stage.now);
  if (!machine->reports_soon) {
    machine->reports_soon = true;
    stage.later(Duration{stage.dice.between(100'000'000, 2'000'000'000)},
                {Actor::Kubelets, Report, {}, name, 0});
  }
  for (Event& event : machine->missed)
    stage.later(Duration{stage.dice.between(10'000'000, 500'000'000)}, std::move(event));
  machine->missed.clear();
  std::vector<api::ObjectPtr> pods;
  for (const auto& [key, pod] : stage.api.objects(ResourceId::Pods))
    if (pod->spec()["nodeName"].string() == node) pods.push_back(pod);
  for (const api::ObjectPtr& pod : pods) {
    const Key key(pod->ns(), pod->name());
    const auto run = runs_.find(key);
    if (run == runs_.end()) {
      take_over(stage, *pod);
    } else if (run->second.stage != PodRun::Stage::Stopped) {
      if (pod->terminating()) begin_to_stop(stage, key, run->second, *pod);
      // Others have written that its pods are not ready.
      if (run->second.seen) report(stage, key, run->second);
    }
  }
}

void Kubelets::reboot(Stage& stage, std::string_view node, Duration down) {
  Machine* machine = machine_of(node);
  if (machine == nullptr) return;
  stop(stage, node);
  machine->boot_id = new_boot_id(stage.dice);
  stage.later(down, {Actor::Kubelets, Boot, {}, std::string(node), 0});
}

void Kubelets::boot(Stage& stage, const std::string& node, Machine& machine) {
  // What was planned for containers that are no more is void.
  machine.missed.clear();
  if (const api::ObjectPtr object = stage.api.get(ResourceId::Nodes, "", node))
    News(stage, node)
        .tell(*object, "Warning", "Rebooted",
              fmt::format("Node {} has been rebooted, boot id: {}", node, machine.boot_id));
  const std::set<Key> pods = machine.pods;
  for (const Key& key : pods) {
    PodRun& run = runs_.at(key);
    run.token = ++tokens_;
    if (run.stage == PodRun::Stage::Seen || run.stage == PodRun::Stage::Starting) {
      run.stage = PodRun::Stage::Seen;
      plan(stage, Duration{stage.dice.between(500'000'000, 2'000'000'000)}, Look, key, run);
      continue;
    }
    if (run.stage == PodRun::Stage::Stopping) {
      run.killed = true;
      plan(stage, Duration{stage.dice.between(100'000'000, 1'000'000'000)}, Stop, key, run);
      continue;
    }
    if (run.stage != PodRun::Stage::Running) continue;
    for (auto* list : {&run.containers, &run.init})
      for (ContainerRun& container : *list) {
        if (container.state != State::Running) continue;
        container.ending = Ending{255, "Unknown", container.started, stage.now, container.id};
        container.state = State::Terminated;
        container.ready = false;
      }
    const api::ObjectPtr pod = stage.api.get(ResourceId::Pods, key.first, key.second);
    const std::string_view policy = pod ? pod->spec()["restartPolicy"].string("Always") : "Never";
    if (policy == "Never") run.stage = PodRun::Stage::Ended;
    if (policy != "Never" && pod)
      News(stage, node)
          .tell(*pod, "Normal", "SandboxChanged", "Pod sandbox changed, it will be killed and re-created.");
    if (policy != "Never")
      plan(stage, Duration{stage.dice.between(1'000'000'000, 5'000'000'000)}, Restart, key, run);
  }
  resume(stage, node);
}

}  // namespace tamp::world
