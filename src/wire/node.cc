#include "wire/node.h"

#include "wire/duration.h"
#include "wire/metadata.h"
#include "wire/run_note.h"
#include "wire/selector.h"
#include "wire/tier_requests.h"

namespace tamp::wire {
namespace {

NodeMarks decode_marks(Decoder& d, Value metadata) {
  NodeMarks marks;
  const Value annotations = d.object(metadata, "annotations");
  marks.do_not_disrupt = d.symbol(annotations, "karpenter.sh/do-not-disrupt");
  marks.do_not_evict = d.symbol(annotations, "karpenter.sh/do-not-evict");
  marks.scale_down_disabled = d.symbol(annotations, "cluster-autoscaler.kubernetes.io/scale-down-disabled");
  marks.removal_disabled = d.symbol(annotations, "autoscaling.cast.ai/removal-disabled");
  if (!marks.removal_disabled.valid())
    marks.removal_disabled = d.symbol(d.object(metadata, "labels"), "autoscaling.cast.ai/removal-disabled");
  marks.pause = d.symbol(annotations, "temper.codes/pause");
  marks.note = d.symbol(annotations, "temper.codes/run");
  if (marks.note.valid())
    if (const auto note = read_run_note(std::string(d.cluster().text(marks.note))))
      marks.own = own_marks(*note);
  return marks;
}

}  // namespace

void decode_node(Decoder& d, Symbol name) {
  const Value metadata = d.object(d.root(), "metadata");
  const Value spec = d.object(d.root(), "spec");
  const Value status = d.object(d.root(), "status");

  Node node;
  node.name = name;
  node.uid = d.symbol(metadata, "uid");
  node.labels = d.labels(metadata, "labels");
  node.marks = decode_marks(d, metadata);
  if (const Value published = d.object(metadata, "annotations").get(kRequestsAnnotation); published.present())
    node.published_requests = read_published_requests(published);
  node.created = d.time(metadata, "creationTimestamp");
  node.deleted = d.time(metadata, "deletionTimestamp");
  node.provider_id = d.symbol(spec, "providerID");
  node.taints = decode_taints(d, spec, "taints");
  node.unschedulable = d.flag(spec, "unschedulable");
  node.capacity = d.resources(status, "capacity");
  // The API server defaults allocatable to capacity.
  node.allocatable = status.get("allocatable").present() ? d.resources(status, "allocatable") : node.capacity;
  node.ready = decode_condition(d, status, "Ready");
  d.cluster().nodes.push_back(std::move(node));
}

void decode_node_claim(Decoder& d, Symbol name) {
  const Value metadata = d.object(d.root(), "metadata");
  const Value spec = d.object(d.root(), "spec");
  const Value status = d.object(d.root(), "status");

  NodeClaim claim;
  claim.name = name;
  claim.uid = d.symbol(metadata, "uid");
  claim.labels = d.labels(metadata, "labels");
  claim.marks = decode_marks(d, metadata);
  claim.created = d.time(metadata, "creationTimestamp");
  claim.deleted = d.time(metadata, "deletionTimestamp");
  claim.taints = decode_taints(d, spec, "taints");
  claim.startup_taints = decode_taints(d, spec, "startupTaints");
  if (const auto after = decode_duration_or_never(d, spec, "expireAfter")) claim.expire_after = after->value;
  claim.provider_id = d.symbol(status, "providerID");
  claim.node_name = d.symbol(status, "nodeName");
  claim.capacity = d.resources(status, "capacity");
  claim.allocatable = d.resources(status, "allocatable");
  claim.last_pod_event = d.time(status, "lastPodEventTime");
  claim.registered = decode_condition(d, status, "Registered");
  claim.initialized = decode_condition(d, status, "Initialized");
  claim.consolidatable = decode_condition(d, status, "Consolidatable");
  claim.drifted = decode_condition(d, status, "Drifted");
  claim.instance_terminating = decode_condition(d, status, "InstanceTerminating");
  d.cluster().claims.push_back(std::move(claim));
}

}  // namespace tamp::wire
