#include "sim/autoscalers/packing.h"

#include <algorithm>
#include <tuple>

#include "sim/api/server.h"

namespace tamp::world {
namespace {

using wire::Tree;

bool takes(const Source& source, const Bin::Candidate& candidate, const Tree& spec) {
  return may_run_on_labels(spec, node_labels(source, *candidate.machine, *candidate.offer));
}

// Selectors cost the most: asked once for a pod that names anything, never for one that does not.
bool is_choosy(const Tree& spec) {
  return !spec["nodeSelector"].empty() || !spec["affinity"]["nodeAffinity"].is_null();
}

std::vector<Bin::Candidate> all_candidates(const Machines& machines, const Source& source) {
  std::vector<Bin::Candidate> candidates;
  for (const Machine& machine : machines.all)
    for (const MachineOffer& offer : machine.offers)
      if (offer.available && requirements_hold(source.requirements, node_labels(source, machine, offer)))
        candidates.push_back({&machine, &offer});
  std::stable_sort(
      candidates.begin(), candidates.end(), [](const Bin::Candidate& a, const Bin::Candidate& b) {
        return std::tie(a.offer->price, a.machine->name) < std::tie(b.offer->price, b.machine->name);
      });
  return candidates;
}

bool add(Bin& bin, const api::Object& pod) {
  const Tree& spec = pod.spec();
  const bool loner = wants_a_host_of_its_own(pod);
  const std::string_view owner = api::controller_of(pod)["uid"].string();
  if (loner && std::find(bin.loners.begin(), bin.loners.end(), owner) != bin.loners.end()) return false;
  if (!tolerates_all(spec, bin.source->taints)) return false;
  Needs needs = bin.needs;
  needs += needs_of(pod.tree());
  std::vector<Bin::Candidate> left;
  const bool choosy = is_choosy(spec);
  for (const Bin::Candidate& candidate : bin.candidates)
    if (needs.within(allocatable_of(*candidate.machine)) && (!choosy || takes(*bin.source, candidate, spec)))
      left.push_back(candidate);
  if (left.empty()) return false;
  bin.candidates = std::move(left);
  bin.needs = needs;
  bin.pods.push_back(&pod);
  if (loner) bin.loners.push_back(owner);
  return true;
}

}  // namespace

Tree node_labels(const Source& source, const Machine& machine, const MachineOffer& offer) {
  Tree labels = source.labels.is_object() ? source.labels : Tree::object();
  labels.set("node.kubernetes.io/instance-type", machine.name);
  labels.set("kubernetes.io/arch", machine.architecture);
  labels.set("kubernetes.io/os", machine.os);
  if (!offer.zone.empty()) labels.set("topology.kubernetes.io/zone", offer.zone);
  if (!offer.capacity_type.empty()) labels.set("karpenter.sh/capacity-type", offer.capacity_type);
  return labels;
}

Needs allocatable_of(const Machine& machine) {
  return {machine.cpu_millis, machine.memory_bytes, machine.pods};
}

std::vector<Bin> pack(const Machines& machines, const std::vector<Source>& sources,
                      std::vector<const api::Object*> pods) {
  std::stable_sort(pods.begin(), pods.end(), [](const api::Object* a, const api::Object* b) {
    const Needs x = needs_of(a->tree()), y = needs_of(b->tree());
    return std::tuple(-x.cpu_millis, -x.memory_bytes, a->ns(), a->name()) <
           std::tuple(-y.cpu_millis, -y.memory_bytes, b->ns(), b->name());
  });
  std::vector<Bin> bins;
  for (const api::Object* pod : pods) {
    if (std::any_of(bins.begin(), bins.end(), [&](Bin& bin) { return add(bin, *pod); })) continue;
    for (const Source& source : sources) {
      Bin bin{&source, all_candidates(machines, source), source.daemons, {}, {}};
      if (!add(bin, *pod)) continue;
      bins.push_back(std::move(bin));
      break;
    }
  }
  return bins;
}

}  // namespace tamp::world
