#include "support/pod_builder.h"

#include <algorithm>
#include <utility>

namespace tamp::test {

SelectorRequirement make_requirement(Cluster& cluster, std::string_view key, SelectorOp op, Values values) {
  SelectorRequirement r{.key = cluster.symbols.intern(key), .op = op, .values = {}};
  for (auto v : values) r.values.push_back(cluster.symbols.intern(v));
  std::sort(r.values.begin(), r.values.end());
  r.values.erase(std::unique(r.values.begin(), r.values.end()), r.values.end());
  return r;
}

LabelSelector make_selector(Cluster& cluster, std::string_view key, std::string_view value) {
  return {{make_requirement(cluster, key, SelectorOp::In, {value})}};
}

PodBuilder::PodBuilder(Cluster& cluster, std::string_view name, std::size_t first, std::size_t count,
                       bool numbered)
    : cluster_(&cluster), name_(name), first_(first), count_(count), numbered_(numbered) {
  spec_.requests.set(kPods, 1);
  ns("default").owner(OwnerKind::ReplicaSet, name).label("app", name).created(kCreated);
}

PodBuilder& PodBuilder::on(std::string_view node) {
  if (!daemon_set_) nodes_.clear();
  if (!node.empty()) nodes_.push_back(word(node));
  return *this;
}
PodBuilder& PodBuilder::ns(std::string_view name) {
  pod_.ns = word(name);
  return *this;
}
PodBuilder& PodBuilder::uid(std::string_view uid) {
  pod_.uid = word(uid);
  uid_given_ = true;
  return *this;
}
PodBuilder& PodBuilder::label(std::string_view key, std::string_view value) {
  set_label(*cluster_, labels_, key, value);
  return *this;
}
PodBuilder& PodBuilder::unlabelled() {
  labels_ = {};
  return *this;
}
PodBuilder& PodBuilder::owner(OwnerKind kind, std::string_view name) {
  pod_.owner_kind = kind;
  pod_.has_controller = true;
  pod_.owner_name = word(name);
  pod_.owner_uid = word("uid-owner-" + std::string(name));
  return *this;
}
PodBuilder& PodBuilder::bare() {
  pod_.owner_kind = OwnerKind::None;
  pod_.has_controller = false;
  pod_.owner_name = {};
  pod_.owner_uid = {};
  return *this;
}
PodBuilder& PodBuilder::mirror() {
  pod_.mirror = true;
  return owner(OwnerKind::Node, nodes_.empty() ? "" : cluster_->text(nodes_.front()));
}
PodBuilder& PodBuilder::nominated(std::string_view node) {
  pod_.nominated_node = word(node);
  return *this;
}
PodBuilder& PodBuilder::phase(PodPhase phase) {
  pod_.phase = phase;
  phase_given_ = true;
  return *this;
}
PodBuilder& PodBuilder::not_ready() {
  pod_.ready_false = true;
  return *this;
}
PodBuilder& PodBuilder::crash_looping(std::int64_t restarts) {
  pod_.crash_looping = true;
  pod_.restarts = restarts;
  return not_ready();
}
PodBuilder& PodBuilder::terminating(Time since) {
  pod_.deleted = since;
  return *this;
}
PodBuilder& PodBuilder::created(Time t) {
  pod_.created = t;
  return *this;
}
PodBuilder& PodBuilder::started(Time t) {
  pod_.started = t;
  return *this;
}
PodBuilder& PodBuilder::scheduled(Time t) {
  pod_.scheduled = t;
  return *this;
}
PodBuilder& PodBuilder::finished(Time t) {
  pod_.finished = t;
  return *this;
}
PodBuilder& PodBuilder::priority(std::int32_t value) {
  pod_.priority = value;
  return *this;
}
PodBuilder& PodBuilder::priority_class(std::string_view name) {
  pod_.priority_class = word(name);
  return *this;
}
PodBuilder& PodBuilder::do_not_disrupt(std::string_view value) {
  pod_.do_not_disrupt = word(value);
  return *this;
}
PodBuilder& PodBuilder::do_not_evict(std::string_view value) {
  pod_.do_not_evict = word(value);
  return *this;
}
PodBuilder& PodBuilder::safe_to_evict(std::string_view value) {
  pod_.safe_to_evict = word(value);
  return *this;
}
PodBuilder& PodBuilder::safe_local_volumes(std::string_view value) {
  pod_.safe_local_volumes = word(value);
  return *this;
}
PodBuilder& PodBuilder::deletion_cost(std::string_view value) {
  pod_.deletion_cost = word(value);
  return *this;
}

PodBuilder& PodBuilder::request(ResourceId id, std::int64_t amount) {
  spec_.requests.set(id, amount);
  return *this;
}
PodBuilder& PodBuilder::request(std::string_view resource, std::int64_t amount) {
  return request(cluster_->resource(resource), amount);
}
PodBuilder& PodBuilder::node_selector(std::string_view key, std::string_view value) {
  set_label(*cluster_, spec_.node_selector, key, value);
  return *this;
}
PodBuilder& PodBuilder::node_affinity(std::string_view key, SelectorOp op, Values values) {
  spec_.has_node_affinity = true;
  spec_.node_affinity.push_back({{make_requirement(*cluster_, key, op, values)}, {}});
  return *this;
}
PodBuilder& PodBuilder::and_node_affinity(std::string_view key, SelectorOp op, Values values) {
  spec_.node_affinity.back().expressions.push_back(make_requirement(*cluster_, key, op, values));
  return *this;
}
PodBuilder& PodBuilder::node_name_affinity(SelectorOp op, Values names) {
  spec_.has_node_affinity = true;
  spec_.node_affinity.push_back({{}, {make_requirement(*cluster_, "metadata.name", op, names)}});
  return *this;
}
PodBuilder& PodBuilder::node_affinity_of_no_terms() {
  spec_.has_node_affinity = true;
  spec_.node_affinity.clear();
  return *this;
}
PodBuilder& PodBuilder::prefer_nodes(std::int32_t weight, std::string_view key, SelectorOp op,
                                     Values values) {
  spec_.preferred_node_affinity.push_back({weight, {{make_requirement(*cluster_, key, op, values)}, {}}});
  return *this;
}
PodAffinityTerm PodBuilder::term(std::string_view key, std::string_view value, std::string_view topology) {
  PodAffinityTerm t;
  t.selector = make_selector(*cluster_, key, value);
  t.topology_key = word(topology);
  return t;
}
PodBuilder& PodBuilder::affinity(std::string_view key, std::string_view value, std::string_view topology) {
  return affinity(term(key, value, topology));
}
PodBuilder& PodBuilder::affinity(PodAffinityTerm term) {
  spec_.affinity.push_back(std::move(term));
  return *this;
}
PodBuilder& PodBuilder::anti_affinity(std::string_view key, std::string_view value,
                                      std::string_view topology) {
  return anti_affinity(term(key, value, topology));
}
PodBuilder& PodBuilder::anti_affinity(PodAffinityTerm term) {
  spec_.anti_affinity.push_back(std::move(term));
  return *this;
}
PodBuilder& PodBuilder::prefer_affinity(std::int32_t weight, PodAffinityTerm term) {
  spec_.preferred_affinity.push_back({weight, std::move(term)});
  return *this;
}
PodBuilder& PodBuilder::prefer_anti_affinity(std::int32_t weight, PodAffinityTerm term) {
  spec_.preferred_anti_affinity.push_back({weight, std::move(term)});
  return *this;
}
PodBuilder& PodBuilder::spread(std::string_view topology, std::string_view key, std::string_view value,
                               std::int32_t max_skew) {
  SpreadConstraint s;
  s.topology_key = word(topology);
  s.max_skew = max_skew;
  s.selector = make_selector(*cluster_, key, value);
  return spread(std::move(s));
}
PodBuilder& PodBuilder::spread(SpreadConstraint constraint) {
  spec_.spread.push_back(std::move(constraint));
  return *this;
}
PodBuilder& PodBuilder::tolerate(std::string_view key, std::string_view value) {
  return toleration({.key = word(key), .op = Toleration::Op::Equal, .value = word(value)});
}
PodBuilder& PodBuilder::tolerate(std::string_view key, std::string_view value, TaintEffect effect) {
  return toleration({.key = word(key),
                     .op = Toleration::Op::Equal,
                     .value = word(value),
                     .any_effect = false,
                     .effect = effect});
}
PodBuilder& PodBuilder::tolerate_key(std::string_view key) {
  return toleration({.key = word(key), .op = Toleration::Op::Exists, .value = word("")});
}
PodBuilder& PodBuilder::tolerate_everything() {
  return toleration({.key = {}, .op = Toleration::Op::Exists, .value = word("")});
}
PodBuilder& PodBuilder::toleration(Toleration toleration) {
  spec_.tolerations.push_back(toleration);
  return *this;
}
PodBuilder& PodBuilder::host_port(std::int32_t port, std::string_view protocol, std::string_view ip) {
  spec_.host_ports.push_back({word(ip), word(protocol), port});
  return *this;
}
PodBuilder& PodBuilder::sidecar_host_port(std::int32_t port, std::string_view protocol, std::string_view ip) {
  spec_.init_host_ports.push_back({word(ip), word(protocol), port});
  return *this;
}
PodBuilder& PodBuilder::resource_claims() {
  spec_.has_resource_claims = true;
  return *this;
}
PodBuilder& PodBuilder::gated() {
  spec_.scheduling_gated = true;
  return *this;
}

PodVolume& PodBuilder::add_volume(PodVolume::Kind kind, bool per_pod) {
  auto& mount = mounts_.emplace_back();
  mount.per_pod = per_pod;
  mount.volume.kind = kind;
  mount.volume.name = word("v" + std::to_string(mounts_.size() - 1));
  return mount.volume;
}
PodBuilder& PodBuilder::claim(std::string_view pvc) {
  add_volume(PodVolume::Kind::Claim).claim = word(pvc);
  return *this;
}
PodBuilder& PodBuilder::claim_of_its_own(std::string_view pvc) {
  add_volume(PodVolume::Kind::Claim, true).claim = word(pvc);
  return *this;
}
PodBuilder& PodBuilder::ephemeral(std::string_view volume) {
  add_volume(PodVolume::Kind::Ephemeral, true).name = word(volume);
  return *this;
}
PodBuilder& PodBuilder::inline_csi(std::string_view driver) {
  add_volume(PodVolume::Kind::InlineCsi).driver = word(driver);
  return *this;
}
PodBuilder& PodBuilder::empty_dir() {
  add_volume(PodVolume::Kind::EmptyDir);
  return *this;
}
PodBuilder& PodBuilder::memory_dir() {
  add_volume(PodVolume::Kind::MemoryEmptyDir);
  return *this;
}
PodBuilder& PodBuilder::host_path() {
  add_volume(PodVolume::Kind::HostPath);
  return *this;
}
PodBuilder& PodBuilder::disk(std::string_view plugin, std::string_view id, bool read_only) {
  auto& volume = add_volume(PodVolume::Kind::Disk);
  volume.plugin = word(plugin);
  volume.disk = word(id);
  volume.read_only = read_only;
  return *this;
}
PodBuilder& PodBuilder::disk_in_csi(std::string_view plugin, std::string_view id, std::string_view driver) {
  disk(plugin, id);
  mounts_.back().volume.driver = word(driver);
  mounts_.back().volume.handle = word(id);
  return *this;
}
PodBuilder& PodBuilder::rbd(std::string_view pool_and_image, Values monitors, bool read_only) {
  disk(kRbd, pool_and_image, read_only);
  auto& list = mounts_.back().volume.monitors;
  for (auto m : monitors) list.push_back(word(m));
  std::sort(list.begin(), list.end());
  return *this;
}

PodBuilder PodBuilder::renamed(std::string_view name) const {
  PodBuilder other = *this;
  other.name_ = name;
  other.numbered_ = false;
  other.count_ = 1;
  return other;
}

PodBuilder& PodBuilder::as_daemon_set() {
  daemon_set_ = true;
  return owner(OwnerKind::DaemonSet, name_);
}

void PodBuilder::add_pod(Cluster& cluster, std::string_view name, Symbol node, PodSpec spec) const {
  Pod pod = pod_;
  pod.name = cluster.symbols.intern(name);
  if (!uid_given_) {
    std::string uid = "uid-" + std::string(cluster.text(pod.ns)) + "-" + std::string(name);
    pod.uid = cluster.symbols.intern(uid);
  }
  if (!phase_given_) pod.phase = node.valid() ? PodPhase::Running : PodPhase::Pending;
  pod.ready = pod.phase == PodPhase::Running && !pod.ready_false;
  pod.unschedulable = pod_.unschedulable || !node.valid();
  for (const auto& mount : mounts_) {
    PodVolume volume = mount.volume;
    if (volume.kind == PodVolume::Kind::Ephemeral) {
      std::string claim = std::string(name) + "-" + std::string(cluster.text(volume.name));
      volume.claim = cluster.symbols.intern(claim);
    } else if (mount.per_pod) {
      volume.claim =
          cluster.symbols.intern(std::string(cluster.text(volume.claim)) + "-" + std::string(name));
    }
    pod.volumes.push_back(std::move(volume));
  }
  pod.spec = cluster.intern_spec(std::move(spec));
  pod.labels = cluster.intern_labels(labels_);
  if (node.valid()) cluster.bindings.emplace_back(static_cast<std::uint32_t>(cluster.pods.size()), node);
  cluster.pods.push_back(std::move(pod));
}

void PodBuilder::build_into(Cluster& cluster) const {
  if (daemon_set_) {
    DaemonSet set;
    set.ns = pod_.ns;
    set.name = cluster.symbols.intern(name_);
    set.uid = pod_.owner_uid;
    set.spec = cluster.intern_spec(spec_);
    set.labels = cluster.intern_labels(labels_);
    cluster.daemon_sets.push_back(set);
    // The DaemonSet controller aims each pod at its node.
    for (Symbol node : nodes_) {
      PodSpec spec = spec_;
      spec.has_node_affinity = true;
      NodeSelectorTerm aim;
      aim.fields.push_back(make_requirement(cluster, "metadata.name", SelectorOp::In, {cluster.text(node)}));
      if (spec.node_affinity.empty()) spec.node_affinity.emplace_back();
      for (auto& term : spec.node_affinity) term.fields = aim.fields;
      add_pod(cluster, name_ + "-" + std::string(cluster.text(node)), node, std::move(spec));
    }
    return;
  }
  Symbol node = nodes_.empty() ? Symbol() : nodes_.front();
  for (std::size_t i = 0; i < count_; ++i)
    add_pod(cluster, numbered_ ? name_ + "-" + std::to_string(first_ + i) : name_, node, spec_);
}

}  // namespace tamp::test
