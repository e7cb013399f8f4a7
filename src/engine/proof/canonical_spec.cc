#include "proof/canonical_spec.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tamp::proof {
namespace {

// Members of a set whose order means nothing, each written by itself and then sorted as bytes.
template <typename Items, typename Write>
void write_set(JsonWriter& w, std::string_view key, const Items& items, Write write) {
  std::vector<std::string> texts;
  for (const auto& item : items) {
    JsonWriter one;
    write(one, item);
    texts.push_back(one.take());
  }
  std::sort(texts.begin(), texts.end());
  w.key(key).begin_array();
  for (const std::string& text : texts) w.raw(text);
  w.end_array();
}

void write_requirement(JsonWriter& w, const Cluster& c, const SelectorRequirement& r) {
  w.begin_object();
  write_symbol(w, c, "key", r.key);
  w.field("op", static_cast<int>(r.op));
  write_symbols(w, c, "values", r.values);
  w.end_object();
}

void write_node_term(JsonWriter& w, const Cluster& c, const NodeSelectorTerm& term) {
  const auto one = [&](JsonWriter& v, const SelectorRequirement& r) { write_requirement(v, c, r); };
  w.begin_object();
  write_set(w, "expressions", term.expressions, one);
  write_set(w, "fields", term.fields, one);
  w.end_object();
}

void write_pod_term(JsonWriter& w, const Cluster& c, const PodAffinityTerm& term) {
  w.begin_object();
  write_selector(w, c, "selector", term.selector);
  write_symbols(w, c, "namespaces", term.namespaces);
  write_selector(w, c, "namespaceSelector", term.namespace_selector);
  write_symbol(w, c, "topologyKey", term.topology_key);
  write_symbols(w, c, "matchLabelKeys", term.match_label_keys);
  write_symbols(w, c, "mismatchLabelKeys", term.mismatch_label_keys);
  w.end_object();
}

void write_spread(JsonWriter& w, const Cluster& c, const SpreadConstraint& s) {
  w.begin_object();
  write_symbol(w, c, "topologyKey", s.topology_key);
  w.field("maxSkew", s.max_skew).field("minDomains", s.min_domains.value_or(-1));
  w.field("scheduleAnyway", s.schedule_anyway).field("honorAffinity", s.honor_affinity);
  w.field("honorTaints", s.honor_taints);
  write_selector(w, c, "selector", s.selector);
  write_symbols(w, c, "matchLabelKeys", s.match_label_keys);
  w.end_object();
}

void write_toleration(JsonWriter& w, const Cluster& c, const Toleration& t) {
  w.begin_object();
  write_symbol(w, c, "key", t.key);
  w.field("op", static_cast<int>(t.op));
  write_symbol(w, c, "value", t.value);
  w.field("effect", t.any_effect ? -1 : static_cast<int>(t.effect)).end_object();
}

void write_port(JsonWriter& w, const Cluster& c, const HostPort& p) {
  w.begin_object();
  write_symbol(w, c, "ip", p.ip);
  write_symbol(w, c, "protocol", p.protocol);
  w.field("port", p.port).end_object();
}

}  // namespace

void write_symbol(JsonWriter& w, const Cluster& c, std::string_view key, Symbol symbol) {
  w.key(key);
  symbol.valid() ? w.string(c.text(symbol)) : w.null();
}

void write_symbols(JsonWriter& w, const Cluster& c, std::string_view key,
                   const std::vector<Symbol>& symbols) {
  std::vector<std::string_view> texts;
  for (const Symbol s : symbols) texts.push_back(c.text(s));
  std::sort(texts.begin(), texts.end());
  w.key(key).begin_array();
  for (const std::string_view text : texts) w.string(text);
  w.end_array();
}

void write_labels(JsonWriter& w, const Cluster& c, std::string_view key, const LabelSet& labels) {
  std::vector<std::pair<std::string_view, std::string_view>> texts;
  for (const auto& [k, v] : labels) texts.emplace_back(c.text(k), c.text(v));
  std::sort(texts.begin(), texts.end());
  w.key(key).begin_object();
  for (const auto& [k, v] : texts) w.field(k, v);
  w.end_object();
}

void write_resources(JsonWriter& w, const Cluster& c, std::string_view key, const ResourceList& resources) {
  std::vector<std::pair<std::string_view, std::int64_t>> texts;
  for (const ResourceAmount& a : resources)
    texts.emplace_back(c.text(c.resource_names[a.id.index()]), a.amount);
  std::sort(texts.begin(), texts.end());
  w.key(key).begin_object();
  for (const auto& [name, amount] : texts) w.field(name, amount);
  w.end_object();
}

void write_selector(JsonWriter& w, const Cluster& c, std::string_view key,
                    const std::optional<LabelSelector>& selector) {
  if (!selector) {
    w.key(key).null();
    return;
  }
  write_set(w, key, selector->requirements,
            [&](JsonWriter& v, const auto& r) { write_requirement(v, c, r); });
}

void write_spec(JsonWriter& w, const Cluster& c, const PodSpec& spec) {
  const auto pod_term = [&](JsonWriter& v, const PodAffinityTerm& t) { write_pod_term(v, c, t); };
  const auto weighted = [&](JsonWriter& v, const PreferredPodTerm& t) {
    v.begin_object().field("weight", t.weight).key("term");
    write_pod_term(v, c, t.term);
    v.end_object();
  };
  const auto port = [&](JsonWriter& v, const HostPort& p) { write_port(v, c, p); };
  w.begin_object();
  write_resources(w, c, "requests", spec.requests);
  write_resources(w, c, "freshRequests", spec.fresh_requests);
  write_labels(w, c, "nodeSelector", spec.node_selector);
  w.field("hasNodeAffinity", spec.has_node_affinity);
  write_set(w, "nodeAffinity", spec.node_affinity,
            [&](JsonWriter& v, const NodeSelectorTerm& t) { write_node_term(v, c, t); });
  write_set(w, "preferredNodes", spec.preferred_node_affinity,
            [&](JsonWriter& v, const PreferredNodeTerm& t) {
              v.begin_object().field("weight", t.weight).key("term");
              write_node_term(v, c, t.term);
              v.end_object();
            });
  write_set(w, "affinity", spec.affinity, pod_term);
  write_set(w, "preferredAffinity", spec.preferred_affinity, weighted);
  write_set(w, "antiAffinity", spec.anti_affinity, pod_term);
  write_set(w, "preferredAntiAffinity", spec.preferred_anti_affinity, weighted);
  write_set(w, "tolerations", spec.tolerations,
            [&](JsonWriter& v, const Toleration& t) { write_toleration(v, c, t); });
  write_set(w, "spread", spec.spread,
            [&](JsonWriter& v, const SpreadConstraint& s) { write_spread(v, c, s); });
  write_set(w, "hostPorts", spec.host_ports, port);
  write_set(w, "initHostPorts", spec.init_host_ports, port);
  w.field("resourceClaims", spec.has_resource_claims).field("gated", spec.scheduling_gated).end_object();
}

}  // namespace tamp::proof
