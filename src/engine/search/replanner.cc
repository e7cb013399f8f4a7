#include "search/replanner.h"

#include <algorithm>
#include <utility>

#include "gates/gates.h"
#include "gates/node_state.h"
#include "search/moves.h"
#include "search/surroundings.h"

namespace tamp::search {
namespace {

// Does a site that Karpenter finds overcommitted take nothing? The index knows when it is built; here it must not change.
bool overcommitted(const Cluster& cluster, const fit::Simulation& simulation, NodeId node) {
  const fit::SiteId site = simulation.index().site_of(node);
  return std::ranges::any_of(cluster.nodes[node.index()].allocatable,
                             [&](const ResourceAmount& a) { return simulation.room().free(site, a.id) < 0; });
}

}  // namespace

Replanner::Replanner(Cluster cluster, Settings settings, Time now, std::optional<Time> last_node_deleted,
                     NodeId leader_node)
    : cluster_(std::move(cluster)),
      settings_(std::move(settings)),
      context_{cluster_, settings_, now, last_node_deleted, leader_node} {
  // After a deletion any pod that is pending or not ready may close the gate Stabilizing for all nodes.
  far_reaching_ = last_node_deleted.has_value() || settings_.protect_single_replica.value ||
                  std::ranges::any_of(settings_.pools, [](const PoolSettings& p) {
                    return p.policy.value == ConsolidationPolicy::Balanced;
                  });
  // Pods that come later find a place without all of them being moved.
  cluster_.pods.reserve(cluster_.pods.size() + cluster_.pods.size() / 8 + 1024);
  build();
}

Replanner::~Replanner() = default;

void Replanner::build() {
  moves_ = std::make_unique<Moves>(context_);
  moves_->remember();
  survey_.emplace(context_);

  const fit::Index& index = moves_->index();
  readers_.assign(index.topology().groups().size(), {});
  for (std::size_t s = 0; s < index.shapes(); ++s) {
    const fit::ShapeId id(s);
    const fit::Shape& shape = index.shape(id);
    for (const fit::Variant& v : shape.variants()) {
      for (const auto& use : v.groups) readers_[use.group.index()].push_back(id);
      for (const auto& use : v.affinity) readers_[use.group.index()].push_back(id);
    }
    for (fit::GroupId g : shape.repelled_by()) readers_[g.index()].push_back(id);
  }

  spare_.clear();
  incomplete_ = 0;
  for (const Workload& w : cluster_.workloads)
    if (w.uid.valid() && !w.deleting && w.kind != WorkloadKind::Deployment && w.kind != WorkloadKind::Job) {
      const std::int64_t before = spare_[w.uid];
      spare_[w.uid] = before - w.desired;
      incomplete_ += (before >= 0 && before - w.desired < 0) ? 1 : 0;
    }
  for (const Pod& pod : cluster_.pods) count_replica(pod, 1);
}

void Replanner::rebuild() {
  build();
  ++rebuilt_;
}

void Replanner::count_replica(const Pod& pod, std::int64_t by) {
  if (!pod.active() || pod.daemon()) return;
  const auto it = spare_.find(pod.owner_uid);
  if (it == spare_.end()) return;
  const bool lacked = it->second < 0;
  it->second += by;
  if (lacked && it->second >= 0) --incomplete_;
  if (!lacked && it->second < 0) ++incomplete_;
}

bool Replanner::followable(const Pod& pod) const {
  if (far_reaching_ || moves_->completed()) return false;
  if (!pod.bound()) return pod.terminal();  // one that waits takes part in every simulation
  const PodSpec& spec = cluster_.spec(pod);
  if (pod.daemon() || !pod.volumes.empty() || !spec.host_ports.empty() || !spec.init_host_ports.empty())
    return false;
  if (gates::deleting(context_, cluster_.nodes[pod.node.index()])) return false;
  return survey_->limits.covers(pod);
}

PodId Replanner::add(Pod pod) {
  const PodId id(cluster_.pods.size());
  Pod nobody = pod;
  nobody.node = {};
  nobody.phase = PodPhase::Succeeded;
  cluster_.pods.push_back(nobody);
  put(id, std::move(pod), true);
  return id;
}

void Replanner::change(PodId pod, Pod version) { put(pod, std::move(version), false); }

void Replanner::remove(PodId pod) {
  Pod gone = cluster_.pods[pod.index()];
  gone.node = {};
  gone.phase = PodPhase::Succeeded;
  put(pod, std::move(gone), false);
}

std::vector<Replanner::Touched> Replanner::touched_by(const Pod& before, const Pod& version) {
  std::vector<Touched> touched;
  for (NodeId node : {before.node, version.node})
    if (node.valid() && (touched.empty() || touched.front().node != node))
      touched.push_back(
          {node, closed(context_, node), overcommitted(cluster_, moves_->changing_simulation(), node)});
  return touched;
}

// Otherwise the index, which knows it from when it was built, is wrong.
bool Replanner::stands_as_before(const Touched& touched) {
  return closed(context_, touched.node) == touched.closed &&
         (!moves_->index().karpenter() ||
          overcommitted(cluster_, moves_->changing_simulation(), touched.node) == touched.overcommitted);
}

void Replanner::assign(PodId id, const Pod& before, Pod version) {
  if (before.bound()) std::erase(cluster_.nodes[before.node.index()].pods, id);
  const NodeId node = version.node;
  cluster_.pods[id.index()] = std::move(version);
  if (!node.valid()) return;
  auto& pods = cluster_.nodes[node.index()].pods;
  pods.insert(std::lower_bound(pods.begin(), pods.end(), id), id);
}

void Replanner::note_readers(PodId pod) {
  const fit::Index& index = moves_->index();
  reads_.assign(index.shapes(), 0);
  const fit::Shape& shape = index.shape(pod);
  for (std::span<const fit::GroupId> groups : {shape.counted_by(), shape.repels()})
    for (fit::GroupId g : groups)
      for (fit::ShapeId reader : readers_[g.index()]) reads_[reader.index()] = 1;
}

void Replanner::note_standing(const std::vector<Touched>& touched) {
  const VerdictMemo* memo = moves_->memo();
  stood_.resize(touched.size());
  for (std::size_t i = 0; memo && i < touched.size(); ++i)
    memo->look_at(moves_->changing_simulation(), moves_->index().site_of(touched[i].node), stood_[i]);
}

// Takes away what is not true any more, and assesses the nodes anew.
void Replanner::look_again(const std::vector<Touched>& touched) {
  for (const Touched& t : touched) moves_->changing_index().reorder(t.node);
  fit::Simulation& simulation = moves_->changing_simulation();
  simulation.reordered();
  VerdictMemo* const memo = moves_->memo();
  for (std::size_t i = 0; i < touched.size(); ++i) {
    if (memo) {
      const fit::SiteId site = moves_->index().site_of(touched[i].node);
      memo->look_at(simulation, site, stands_);
      forgotten_ += memo->forget_touched(site, stood_[i], stands_, reads_);
    }
    moves_->replace(gates::assess_node(context_, *survey_, touched[i].node));
  }
}

// `fresh`: the index has not heard of the pod.
void Replanner::put(PodId id, Pod version, bool fresh) {
  const Pod before = cluster_.pods[id.index()];
  bool follows = followable(before) && followable(version);
  count_replica(before, -1);
  count_replica(version, 1);
  // A controller that lacks a pod is about to make one, and the simulation foresees it.
  follows = follows && (settings_.karpenter_compat || incomplete_ == 0);
  if (follows && fresh) follows = moves_->changing_index().admit(id);
  if (!follows) {
    assign(id, before, std::move(version));
    rebuild();
    return;
  }

  const std::vector<Touched> touched = touched_by(before, version);
  note_readers(id);
  note_standing(touched);
  fit::Simulation& simulation = moves_->changing_simulation();
  if (before.bound() && !before.terminal()) simulation.lift(id);
  assign(id, before, version);
  if (version.bound() && !version.terminal()) simulation.put_back(id);
  if (!std::ranges::all_of(touched, [&](const Touched& t) { return stands_as_before(t); })) {
    rebuild();
    return;
  }
  look_again(touched);
  ++followed_;
}

Plan Replanner::plan(PlanOptions options) {
  options.candidates = false;
  return make_plan(*moves_, options);
}

}  // namespace tamp::search
