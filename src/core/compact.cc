#include "core/compact.h"

#include <algorithm>
#include <utility>

namespace tamp {
namespace {

// Carries references over from the tables of one cluster to those of another, adding there what is met first. Overloads
// of move() follow the model's types; each leaves its argument pointing into the new tables.
class Mover {
 public:
  Mover(Cluster& from, Cluster& to)
      : from_(from),
        to_(to),
        symbols_(from.symbols.size()),
        resources_(from.resource_names.size()),
        specs_(from.pod_specs.size()),
        label_sets_(from.label_sets.size()) {}

  void move(Symbol& s) {
    if (!s.valid()) return;
    Symbol& known = symbols_[s.index()];
    if (!known.valid()) known = to_.symbols.intern(from_.text(s));
    s = known;
  }
  void move(PodSpecId& id) {
    if (!id.valid()) return;
    PodSpecId& known = specs_[id.index()];
    if (!known.valid()) {
      PodSpec& spec = from_.pod_specs[id.index()];
      move(spec);
      known = to_.intern_spec(std::move(spec));
    }
    id = known;
  }
  void move(LabelSetId& id) {
    if (!id.valid()) return;
    LabelSetId& known = label_sets_[id.index()];
    if (!known.valid()) {
      move(from_.label_sets[id.index()]);
      known = to_.intern_labels(std::move(from_.label_sets[id.index()]));
    }
    id = known;
  }

  template <typename T>
  void move(std::vector<T>& list) {
    for (T& item : list) move(item);
  }
  template <typename T>
  void move(std::optional<T>& value) {
    if (value) move(*value);
  }
  // A set that is kept in the order of symbols.
  template <typename T>
  void move_sorted(std::vector<T>& set) {
    move(set);
    std::sort(set.begin(), set.end());
  }

  void move(LabelSet& labels) {
    std::vector<std::pair<Symbol, Symbol>> entries(labels.begin(), labels.end());
    for (auto& [key, value] : entries) {
      move(key);
      move(value);
    }
    labels = LabelSet(std::move(entries));
  }
  void move(ResourceList& list) {
    ResourceList result;
    for (const auto& amount : list) result.set(resource(amount.id), amount.amount);
    list = std::move(result);
  }
  void move(SelectorRequirement& r) {
    move(r.key);
    move_sorted(r.values);
  }
  void move(LabelSelector& s) { move_sorted(s.requirements); }
  void move(NodeSelectorTerm& t) {
    move(t.expressions);
    move(t.fields);
  }
  void move(PreferredNodeTerm& t) { move(t.term); }
  void move(PodAffinityTerm& t) {
    move(t.selector);
    move_sorted(t.namespaces);
    move(t.namespace_selector);
    move(t.topology_key);
    move_sorted(t.match_label_keys);
    move_sorted(t.mismatch_label_keys);
  }
  void move(PreferredPodTerm& t) { move(t.term); }
  void move(SpreadConstraint& c) {
    move(c.topology_key);
    move(c.selector);
    move_sorted(c.match_label_keys);
  }
  void move(HostPort& p) {
    move(p.ip);
    move(p.protocol);
  }
  void move(Taint& t) {
    move(t.key);
    move(t.value);
  }
  void move(Toleration& t) {
    move(t.key);
    move(t.value);
  }
  void move(PodSpec& s) {
    move(s.requests);
    move(s.fresh_requests);
    move(s.node_selector);
    move(s.node_affinity);
    move(s.preferred_node_affinity);
    move(s.affinity);
    move(s.preferred_affinity);
    move(s.anti_affinity);
    move(s.preferred_anti_affinity);
    move(s.tolerations);
    move(s.spread);
    move(s.host_ports);
    move(s.init_host_ports);
  }
  void move(PodVolume& v) {
    for (Symbol* s : {&v.name, &v.claim, &v.driver, &v.plugin, &v.disk, &v.handle}) move(*s);
    move_sorted(v.monitors);
  }
  void move(Pod& p) {
    for (Symbol* s :
         {&p.ns, &p.name, &p.uid, &p.nominated_node, &p.owner_name, &p.owner_uid, &p.priority_class,
          &p.do_not_disrupt, &p.do_not_evict, &p.safe_to_evict, &p.safe_local_volumes, &p.deletion_cost})
      move(*s);
    move(p.spec);
    move(p.labels);
    move(p.volumes);
  }
  void move(NodeMarks& m) {
    for (Symbol* s :
         {&m.do_not_disrupt, &m.do_not_evict, &m.scale_down_disabled, &m.removal_disabled, &m.pause, &m.note})
      move(*s);
  }
  void move(Node& n) {
    for (Symbol* s : {&n.name, &n.uid, &n.provider_id}) move(*s);
    move(n.labels);
    move(n.marks);
    move(n.taints);
    move(n.capacity);
    move(n.allocatable);
  }
  void move(NodeClaim& c) {
    for (Symbol* s : {&c.name, &c.uid, &c.provider_id, &c.node_name}) move(*s);
    move(c.labels);
    move(c.marks);
    move(c.taints);
    move(c.startup_taints);
    move(c.capacity);
    move(c.allocatable);
  }
  void move(PoolRequirement& r) { move(r.requirement); }
  void move(NodePool& p) {
    for (Symbol* s : {&p.name, &p.uid, &p.node_class_label, &p.node_class_name}) move(*s);
    move(p.template_labels);
    move(p.taints);
    move(p.startup_taints);
    move(p.requirements);
    move(p.limits);
  }
  void move(Namespace& n) {
    move(n.name);
    move(n.labels);
  }
  void move(PodDisruptionBudget& b) {
    move(b.ns);
    move(b.name);
    move(b.selector);
  }
  void move(DaemonSet& s) {
    for (Symbol* symbol : {&s.ns, &s.name, &s.uid}) move(*symbol);
    move(s.spec);
    move(s.labels);
  }
  void move(Workload& w) {
    for (Symbol* s : {&w.ns, &w.name, &w.uid, &w.owner_uid}) move(*s);
    move(w.template_spec);
    move(w.template_labels);
  }
  void move(PriorityClass& c) { move(c.name); }
  void move(PersistentVolume& v) {
    for (Symbol* s :
         {&v.name, &v.csi_driver, &v.csi_handle, &v.in_tree_plugin, &v.storage_class, &v.volume_mode,
          &v.attributes_class, &v.claim_ns, &v.claim_name, &v.claim_uid, &v.phase})
      move(*s);
    move(v.labels);
    move(v.node_affinity);
    move(v.csi_node_affinity);
    move_sorted(v.access_modes);
  }
  void move(PersistentVolumeClaim& c) {
    for (Symbol* s : {&c.ns, &c.name, &c.uid, &c.volume_name, &c.storage_class, &c.selected_node, &c.phase,
                      &c.volume_mode, &c.attributes_class, &c.owner_uid})
      move(*s);
    move_sorted(c.access_modes);
    move(c.selector);
  }
  void move(TopologyTerm& t) { move(t.expressions); }
  void move(StorageClass& c) {
    for (Symbol* s : {&c.name, &c.provisioner, &c.csi_provisioner}) move(*s);
    move(c.allowed_topologies);
  }
  void move(CsiDriver& d) { move(d.name); }
  void move(CsiNode& n) {
    move(n.node_name);
    move(n.drivers);
    move_sorted(n.migrated_plugins);
  }
  void move(Offering& o) {
    move(o.zone);
    move(o.capacity_type);
    move(o.requirements);
  }
  void move(InstanceType& t) {
    move(t.name);
    move(t.requirements);
    move(t.capacity);
    move(t.allocatable);
    move(t.offerings);
  }
  void move(Catalogue& c) {
    move(c.types);
    move_sorted(c.well_known);
  }

 private:
  ResourceId resource(ResourceId id) {
    ResourceId& known = resources_[id.index()];
    if (!known.valid()) known = to_.resource(from_.text(from_.resource_names[id.index()]));
    return known;
  }

  Cluster& from_;
  Cluster& to_;
  std::vector<Symbol> symbols_;  // new by old, invalid until met; likewise the others
  std::vector<ResourceId> resources_;
  std::vector<PodSpecId> specs_;
  std::vector<LabelSetId> label_sets_;
};

}  // namespace

Cluster compacted(Cluster from) {
  Cluster to;
  Mover mover(from, to);
  const auto take = [&](auto Cluster::* member) {
    to.*member = std::move(from.*member);
    mover.move(to.*member);
  };
  take(&Cluster::nodes);
  take(&Cluster::claims);
  take(&Cluster::pools);
  take(&Cluster::pods);
  take(&Cluster::namespaces);
  take(&Cluster::budgets);
  take(&Cluster::daemon_sets);
  take(&Cluster::workloads);
  take(&Cluster::priority_classes);
  take(&Cluster::volumes);
  take(&Cluster::volume_claims);
  take(&Cluster::storage_classes);
  take(&Cluster::csi_nodes);
  take(&Cluster::catalogue);
  to.policy = std::move(from.policy);
  to.bindings = std::move(from.bindings);
  for (auto& [pod, node] : to.bindings) mover.move(node);
  to.dangling = std::move(from.dangling);
  return to;
}

}  // namespace tamp
