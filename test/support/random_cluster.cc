#include "support/random_cluster.h"

#include <algorithm>
#include <string>

namespace tamp::test {
namespace {

constexpr const char* kDriver = "csi.example.com";
constexpr const char* kEbsDriver = "ebs.csi.aws.com";
constexpr const char* kEbsZone = "topology.ebs.csi.aws.com/zone";

}  // namespace

RandomCluster::RandomCluster(std::uint64_t seed, RandomShape shape) : random_(seed), shape_(shape) {
  builder_.ns("default").ns("team-a", "team", "a").ns("team-b", "team", "b");
  if (shape_.catalogue) builder_.kwok_types();
  builder_.pool("default").budget("100%");
  add_nodes();
  add_storage();
  add_daemons();
  int target = between(shape_.min_pods, shape_.max_pods);
  while (pods_ < target) add_workload();
}

std::string_view RandomCluster::pick(Values options) {
  auto i = between(0, static_cast<int>(options.size()) - 1);
  return *(options.begin() + i);
}

SelectorOp RandomCluster::pick_op() {
  constexpr SelectorOp kOps[] = {SelectorOp::In, SelectorOp::In, SelectorOp::NotIn, SelectorOp::Exists,
                                 SelectorOp::DoesNotExist};
  return kOps[between(0, 4)];
}

TaintEffect RandomCluster::pick_effect() {
  constexpr TaintEffect kEffects[] = {TaintEffect::NoSchedule, TaintEffect::NoSchedule,
                                      TaintEffect::NoExecute, TaintEffect::PreferNoSchedule};
  return kEffects[between(0, 3)];
}

void RandomCluster::add_nodes() {
  int count = between(shape_.min_nodes, shape_.max_nodes);
  for (int i = 0; i < count; ++i) {
    std::string name = "node-" + std::to_string(i);
    auto zone = pick({"test-zone-a", "test-zone-b", "test-zone-c"});
    auto& node = builder_.node(name).zone(zone).label(kEbsZone, zone);
    Room room{name, 0, 0, 0};
    if (shape_.catalogue) {
      int cpus = 1 << between(1, 4);
      bool small = chance(0.5);
      node.type((small ? "c-" : "s-") + std::to_string(cpus) + "x-amd64-linux");
      room = {name, cpus * 1000 - 100, cpus * (small ? 2048 : 4096) - 10, 16 * cpus};
    } else {
      room = {name, 1000 * between(1, 4), 1024 * between(1, 4), between(3, 12)};
      node.cpu(room.cpu).memory_mi(room.memory_mi).max_pods(room.pods);
    }
    rooms_.push_back(room);
    if (chance(shape_.spot)) node.spot();
    if (chance(0.7)) node.label("rack", pick({"r1", "r2", ""}));
    if (chance(0.7)) node.label("disk", pick({"ssd", "hdd"}));
    if (chance(0.5)) node.label("generation", pick({"1", "2", "03", "five"}));
    if (chance(shape_.missing_label)) node.unlabel(pick({kHostname, kZone}));
    if (chance(shape_.taint)) {
      const auto key = pick({"dedicated", "gpu"});
      const auto value = pick({"", "x"});
      node.taint(key, value, pick_effect());
    }
    if (chance(shape_.cordon)) node.cordoned();
    if (chance(shape_.extended_resource)) node.resource("example.com/gpu", between(0, 2));
    if (chance(shape_.unmanaged)) node.unmanaged();
    if (chance(shape_.uninitialized)) node.uninitialized();
    if (chance(shape_.csi_limits)) {
      auto& csi = builder_.csi_node(name).limit(kDriver, between(0, 3));
      if (chance(0.7)) csi.limit(kEbsDriver, between(0, 2));
      if (chance(0.5)) csi.migrated(kAwsEbs);
    }
  }
}

void RandomCluster::add_storage() {
  builder_.storage_class("late", kDriver).wait();
  builder_.storage_class("zonal", kDriver).wait().topology(kZone, {pick({"test-zone-a", "test-zone-b"})});
  builder_.storage_class("local", "kubernetes.io/no-provisioner").wait();
  builder_.storage_class("now", kDriver);
  // Sizes differ: among equal volumes the scheduler may take any.
  for (int i = 0; i < between(0, 3); ++i)
    builder_.pv("local-" + std::to_string(i))
        .cls("local")
        .local()
        .capacity_gi(2 + i)
        .only_on(kHostname,
                 {rooms_[static_cast<std::size_t>(between(0, static_cast<int>(rooms_.size()) - 1))].name});
}

void RandomCluster::add_daemons() {
  if (!chance(shape_.daemon_sets)) return;
  auto& agent = builder_.daemon_set("agent").cpu(50).memory_mi(32);
  if (chance(0.5)) agent.tolerate_everything();
  for (auto& room : rooms_) {
    agent.on(room.name);
    room.cpu -= 50;
    room.memory_mi -= 32;
    --room.pods;
  }
}

void RandomCluster::add_workload() {
  auto app = pick({"web", "db", "cache", "batch"});
  std::string name = std::string(app) + "-" + std::to_string(serial_++);
  auto ns = chance(shape_.other_namespace) ? pick({"team-a", "team-b"}) : std::string_view("default");
  bool big = chance(shape_.big);
  std::int64_t cpu = big ? 1000 * between(1, 2) : 50 * between(0, 10);
  std::int64_t memory_mi = big ? 1024 : 64 * between(0, 8);
  int replicas = between(1, shape_.max_replicas);

  // Rules are the workload's; where its pods are, and in what state, is each pod's own.
  PodBuilder model = builder_.prototype(name);
  model.ns(ns).cpu(cpu).memory_mi(memory_mi);
  shape_pod(model, app);
  bool bare = chance(shape_.bare), stateful = chance(shape_.statefulset);
  if (bare) model.bare();
  if (stateful) model.owner(OwnerKind::StatefulSet, name);
  if (chance(shape_.budgets)) builder_.pdb(name).ns(ns).selects("workload", name).allows(between(0, 2));
  for (int i = 0; i < replicas; ++i, ++pods_) {
    auto& pod = builder_.add_pod(model.renamed(name + "-" + std::to_string(i)));
    if (chance(shape_.do_not_disrupt)) pod.do_not_disrupt();
    add_volumes(pod);
    if (chance(shape_.pending)) continue;
    std::string node = place(cpu, memory_mi);
    if (node.empty()) continue;
    pod.on(node);
    if (chance(shape_.terminal))
      pod.phase(chance(0.5) ? PodPhase::Succeeded : PodPhase::Failed);
    else if (chance(shape_.terminating))
      pod.terminating();
    if (chance(shape_.resized)) {
      pod.spec().fresh_requests = pod.spec().requests;
      pod.cpu(cpu + 100 * between(1, 5));
    }
  }
}

// A node with room, at random; none if there is none.
std::string RandomCluster::place(std::int64_t cpu, std::int64_t memory_mi) {
  std::vector<Room*> open;
  bool anywhere = chance(shape_.overcommit);
  for (auto& room : rooms_)
    if (anywhere || (room.cpu >= cpu && room.memory_mi >= memory_mi && room.pods >= 1)) open.push_back(&room);
  if (open.empty()) return {};
  Room& room = *open[static_cast<std::size_t>(between(0, static_cast<int>(open.size()) - 1))];
  room.cpu -= cpu;
  room.memory_mi -= memory_mi;
  --room.pods;
  return room.name;
}

void RandomCluster::shape_pod(PodBuilder& pod, std::string_view app) {
  pod.label("app", app);
  pod.label("workload", builder_.text(pod.pod().owner_name));
  if (chance(0.6)) pod.label("version", pick({"v1", "v2"}));
  if (chance(0.1)) pod.request("example.com/gpu", between(0, 1));
  if (chance(shape_.priorities)) pod.priority(between(-2, 2) * 1000);
  if (chance(shape_.toleration)) add_toleration(pod);
  if (chance(shape_.ports)) {
    auto ip = pick({"0.0.0.0", "10.0.0.1", "10.0.0.2"});
    if (chance(0.8)) {
      const int port = chance(0.5) ? 8080 : 9090;
      pod.host_port(port, pick({"TCP", "UDP"}), ip);
    } else {
      pod.sidecar_host_port(8080, "TCP", ip);
    }
  }
  add_node_rules(pod);
  add_pod_rules(pod, app);
}

void RandomCluster::add_toleration(PodBuilder& pod) {
  const int kind = between(0, 3);
  if (kind == 0) {
    pod.tolerate_everything();
    return;
  }
  if (kind == 1) {
    pod.tolerate_key(pick({"dedicated", "gpu", kUnschedulable}));
    return;
  }
  const auto key = pick({"dedicated", "gpu"});
  const auto value = pick({"", "x"});
  if (kind == 2)
    pod.tolerate(key, value);
  else
    pod.tolerate(key, value, pick_effect());
}

void RandomCluster::add_node_rules(PodBuilder& pod) {
  if (chance(shape_.selector)) {
    if (chance(0.5))
      pod.node_selector("disk", pick({"ssd", "hdd"}));
    else
      pod.node_selector(kZone, pick({"test-zone-a", "test-zone-b"}));
  }
  if (!chance(shape_.node_affinity)) return;
  for (int i = 0, n = between(1, 2); i < n; ++i) {
    if (chance(0.2)) {
      const SelectorOp op = chance(0.5) ? SelectorOp::Gt : SelectorOp::Lt;
      pod.node_affinity("generation", op, {pick({"0", "2", "two"})});
    } else if (chance(0.15)) {
      auto& room = rooms_[static_cast<std::size_t>(between(0, static_cast<int>(rooms_.size()) - 1))];
      pod.node_name_affinity(chance(0.5) ? SelectorOp::In : SelectorOp::NotIn, {room.name});
    } else {
      SelectorOp op = pick_op();
      auto key = pick({"disk", "rack", kZone});
      bool with_values = op == SelectorOp::In || op == SelectorOp::NotIn;
      if (!with_values)
        pod.node_affinity(key, op);
      else if (key == "disk")
        pod.node_affinity(key, op, {pick({"ssd", "hdd"})});
      else if (key == "rack")
        pod.node_affinity(key, op, {pick({"r1", "r2"}), pick({"r2", ""})});
      else
        pod.node_affinity(key, op, {pick({"test-zone-a", "test-zone-b"}), "test-zone-c"});
    }
    if (chance(0.2)) pod.and_node_affinity("disk", SelectorOp::Exists);
  }
}

LabelSelector RandomCluster::random_selector(std::string_view app) {
  if (chance(0.65)) return builder_.selector("app", app);
  if (chance(0.1)) return {};
  if (chance(0.5)) return builder_.selector("app", pick({"web", "db", "cache"}));
  SelectorOp op = pick_op();
  if (op == SelectorOp::In || op == SelectorOp::NotIn)
    return builder_.selector("version", op, {pick({"v1", "v2"})});
  return builder_.selector("version", op);
}

PodAffinityTerm RandomCluster::random_term(std::string_view app) {
  LabelSelector selector = random_selector(app);
  auto term = builder_.term(std::move(selector), pick({kHostname, kHostname, kZone, "rack"}));
  if (chance(0.05)) term.selector.reset();
  if (chance(0.15)) term.namespaces = {builder_.word(pick({"team-a", "default"}))};
  if (chance(0.15)) {
    SelectorOp op = pick_op();
    bool with_values = op == SelectorOp::In || op == SelectorOp::NotIn;
    term.namespace_selector =
        with_values ? builder_.selector("team", op, {pick({"a", "b"})}) : builder_.selector("team", op);
  } else if (chance(0.1)) {
    term.namespace_selector = LabelSelector{};
  }
  return term;
}

SpreadConstraint RandomCluster::random_spread(std::string_view app) {
  LabelSelector selector = random_selector(app);
  const auto topology = pick({kHostname, kZone, kZone, "rack"});
  auto constraint = builder_.constraint(std::move(selector), topology, between(1, 3) == 3 ? 2 : 1);
  if (chance(0.05)) constraint.selector.reset();
  if (chance(0.2)) constraint.min_domains = between(1, 4);
  if (chance(0.15)) constraint.schedule_anyway = true;
  if (chance(0.25)) constraint.honor_affinity = false;
  if (chance(0.35)) constraint.honor_taints = true;
  if (chance(0.2)) constraint.match_label_keys = {builder_.word("version")};
  return constraint;
}

void RandomCluster::add_pod_rules(PodBuilder& pod, std::string_view app) {
  if (chance(shape_.spread)) {
    pod.spread(random_spread(app));
    if (chance(0.3)) {
      auto second = random_spread(app);
      const auto& first = pod.spec().spread.front();
      bool same =
          second.topology_key == first.topology_key && second.schedule_anyway == first.schedule_anyway;
      if (!same) pod.spread(std::move(second));
    }
  }
  if (chance(shape_.affinity)) {
    pod.affinity(random_term(app));
    if (chance(0.2)) pod.affinity(random_term(app));
  }
  if (chance(shape_.anti_affinity)) {
    pod.anti_affinity(random_term(app));
    if (chance(0.2)) pod.anti_affinity(random_term(app));
  }
  if (chance(shape_.preferences)) {
    const int weight = between(1, 100);
    pod.prefer_anti_affinity(weight, random_term(app));
  }
  if (chance(shape_.preferences)) {
    const int weight = between(1, 100);
    pod.prefer_affinity(weight, random_term(app));
  }
  if (chance(shape_.preferences)) pod.prefer_nodes(between(1, 100), "disk", SelectorOp::In, {"ssd"});
}

void RandomCluster::add_volumes(PodBuilder& pod) {
  if (chance(shape_.disk)) {
    bool read_only = chance(0.4);
    switch (between(0, 3)) {
      case 0:
        pod.disk_in_csi(kAwsEbs, pick({"vol-1", "vol-2"}), kEbsDriver);
        break;
      case 1:
        pod.disk_in_csi(kGcePd, "pd-1", "pd.csi.storage.gke.io");
        break;
      case 2:
        pod.disk(kIscsi, pick({"iqn.1", "iqn.2"}), read_only);
        break;
      default:
        pod.rbd("pool/image", {pick({"m1", "m2"}), "m3"}, read_only);
    }
  }
  if (!chance(shape_.claim)) return;
  auto ns = builder_.text(pod.pod().ns);
  // A claim of its own, or the one that all pods of the namespace share.
  std::string name = chance(0.3) ? "shared" : "data-" + std::to_string(serial_++);
  pod.claim(name);
  if (builder_.has_pvc(name, ns)) return;
  auto access = pick({"ReadWriteOnce", "ReadWriteOnce", "ReadWriteMany", "ReadWriteOncePod"});
  if (chance(shape_.broken_claim)) {
    auto& pvc = builder_.pvc(name, ns).access({access});
    switch (between(0, 3)) {
      case 0:
        pvc.bound_to("gone").cls("now");
        break;
      case 1:
        pvc.lost("gone").cls("now");
        break;
      case 2:
        pvc.cls("nowhere");
        break;
      default:
        pvc.cls("late").deleting();
    }
    return;
  }
  if (chance(0.3)) {
    auto& pvc = builder_.pvc(name, ns).access({access}).request_gi(between(1, 3));
    pvc.cls(pick({"late", "zonal", "local"}));
    if (chance(0.1)) pvc.selected_node(rooms_.front().name);
    return;
  }
  std::string volume = "pv-" + std::to_string(serial_++);
  std::string uid = "uid-pvc-" + std::to_string(serial_);
  builder_.pvc(name, ns).uid(uid).access({access}).bound_to(volume).cls("now");
  auto& pv = builder_.pv(volume).phase("Bound").claimed_by(ns, name, uid).cls("now");
  auto zone = pick({"test-zone-a", "test-zone-b", "test-zone-c"});
  bool in_tree = chance(0.2);
  if (in_tree)
    pv.in_tree(kAwsEbs, kEbsDriver);
  else
    pv.csi(kDriver, chance(0.2) ? "same-disk" : volume);
  if (chance(0.4)) {
    pv.only_on(kZone, {zone});
    if (in_tree) pv.csi_only_on(kEbsZone, {zone});
  } else if (chance(0.3)) {
    pv.label(kZone, chance(0.5) ? std::string(zone) : std::string(zone) + "__test-zone-b");
  }
}

}  // namespace tamp::test
