#include "wire/pod_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/pod_requests.h"
#include "wire/selector.h"

namespace tamp::wire {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

constexpr Words<bool> kWhenUnsatisfiable[] = {{"DoNotSchedule", false}, {"ScheduleAnyway", true}};
constexpr Words<bool> kInclusion[] = {{"Honor", true}, {"Ignore", false}};

std::int32_t decode_weight(Decoder& d, Value term) {
  const auto weight = d.integer(term, "weight", 1, 100);
  if (!weight) d.fail(term, "is missing", "weight");
  return static_cast<std::int32_t>(weight.value_or(1));
}

Symbol decode_topology_key(Decoder& d, Value parent) {
  const std::string_view key = d.text(parent, "topologyKey");
  if (key.empty()) d.fail(parent, "is missing", "topologyKey");
  return d.intern(key);
}

PodAffinityTerm decode_affinity_term(Decoder& d, Value value) {
  PodAffinityTerm term;
  term.selector = decode_label_selector(d, value, "labelSelector");
  term.namespaces = d.symbols(value, "namespaces");
  term.namespace_selector = decode_label_selector(d, value, "namespaceSelector");
  term.topology_key = decode_topology_key(d, value);
  term.match_label_keys = d.symbols(value, "matchLabelKeys");
  term.mismatch_label_keys = d.symbols(value, "mismatchLabelKeys");
  return term;
}

void decode_pod_affinity(Decoder& d, Value value, std::vector<PodAffinityTerm>& required,
                         std::vector<PreferredPodTerm>& preferred) {
  for (const Value term : d.objects(value, kRequired)) required.push_back(decode_affinity_term(d, term));
  for (const Value weighted : d.objects(value, kPreferred))
    preferred.push_back(
        {decode_weight(d, weighted), decode_affinity_term(d, d.object(weighted, "podAffinityTerm"))});
}

void decode_affinity(Decoder& d, Value spec, PodSpec& result) {
  const Value affinity = d.object(spec, "affinity");
  if (!affinity.present()) return;
  if (const Value node = d.object(affinity, "nodeAffinity"); node.present()) {
    const Value required = d.object(node, kRequired);
    result.has_node_affinity = required.present();
    result.node_affinity = decode_node_selector_terms(d, required, "nodeSelectorTerms");
    for (const Value weighted : d.objects(node, kPreferred))
      result.preferred_node_affinity.push_back(
          {decode_weight(d, weighted), decode_node_selector_term(d, d.object(weighted, "preference"))});
  }
  if (const Value pod = d.object(affinity, "podAffinity"); pod.present())
    decode_pod_affinity(d, pod, result.affinity, result.preferred_affinity);
  if (const Value anti = d.object(affinity, "podAntiAffinity"); anti.present())
    decode_pod_affinity(d, anti, result.anti_affinity, result.preferred_anti_affinity);
}

SpreadConstraint decode_spread(Decoder& d, Value value) {
  SpreadConstraint c;
  c.topology_key = decode_topology_key(d, value);
  const auto max_skew = d.integer32(value, "maxSkew", 1);
  if (!max_skew) d.fail(value, "is missing", "maxSkew");
  c.max_skew = max_skew.value_or(1);
  c.min_domains = d.integer32(value, "minDomains", 1);
  c.schedule_anyway = d.word<bool>(value, "whenUnsatisfiable", kWhenUnsatisfiable, std::nullopt);
  c.honor_affinity = d.word<bool>(value, "nodeAffinityPolicy", kInclusion, true);
  c.honor_taints = d.word<bool>(value, "nodeTaintsPolicy", kInclusion, false);
  c.selector = decode_label_selector(d, value, "labelSelector");
  c.match_label_keys = d.symbols(value, "matchLabelKeys");
  return c;
}

// With host networking every container port is a host port: the API server writes that into pods, not into templates.
void decode_host_ports(Decoder& d, Value container, bool host_network, std::vector<HostPort>& ports) {
  for (const Value port : d.objects(container, "ports")) {
    std::int64_t number = d.integer(port, "hostPort", 0, 65535).value_or(0);
    if (number == 0 && host_network) number = d.integer(port, "containerPort", 0, 65535).value_or(0);
    if (number == 0) continue;
    HostPort host_port;
    const std::string_view ip = d.text(port, "hostIP"), protocol = d.text(port, "protocol");
    host_port.ip = ip.empty() ? d.cluster().known.any_ip : d.intern(ip);
    host_port.protocol = protocol.empty() ? d.cluster().known.tcp : d.intern(protocol);
    host_port.port = static_cast<std::int32_t>(number);
    ports.push_back(host_port);
  }
}

}  // namespace

PodSpec decode_pod_spec(Decoder& d, Value spec, Value status) {
  PodSpec result;
  PodRequests requests = decode_requests(d, spec, status);
  result.requests = std::move(requests.held);
  result.fresh_requests = std::move(requests.fresh);
  result.node_selector = d.labels(spec, "nodeSelector");
  decode_affinity(d, spec, result);
  result.tolerations = decode_tolerations(d, spec, "tolerations");
  for (const Value constraint : d.objects(spec, "topologySpreadConstraints"))
    result.spread.push_back(decode_spread(d, constraint));
  const bool host_network = d.flag(spec, "hostNetwork");
  for (const Value container : d.objects(spec, "containers"))
    decode_host_ports(d, container, host_network, result.host_ports);
  for (const Value container : d.objects(spec, "initContainers"))
    if (d.text(container, "restartPolicy") == "Always")
      decode_host_ports(d, container, host_network, result.init_host_ports);
  for (const Value claim : d.objects(spec, "resourceClaims")) result.has_resource_claims |= claim.is_object();
  for (const Value gate : d.objects(spec, "schedulingGates")) result.scheduling_gated |= gate.is_object();
  return result;
}

PodTemplate decode_pod_template(Decoder& d, Value parent) {
  const Value pod = d.object(parent, "template");
  return {d.cluster().intern_spec(decode_pod_spec(d, d.object(pod, "spec"), Value())),
          d.cluster().intern_labels(d.labels(d.object(pod, "metadata"), "labels"))};
}

}  // namespace tamp::wire
