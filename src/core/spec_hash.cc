#include "core/spec_hash.h"

#include <cstdint>

namespace tamp {
namespace {

// Feeds a structure into one 64-bit state, field by field. Lengths go in before elements, so that moving an element
// from one list to the next changes the hash.
class Hasher {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ull;
    state_ ^= state_ >> 29;
  }
  template <typename Tag>
  void add(Id<Tag> id) {
    add(std::uint64_t{id.value});
  }
  template <typename T>
  void add(const std::vector<T>& list) {
    add(list.size());
    for (const T& item : list) add(item);
  }
  template <typename T>
  void add(const std::optional<T>& value) {
    add(std::uint64_t{value.has_value()});
    if (value) add(*value);
  }
  void add(std::int32_t value) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
  void add(const LabelSet& labels) {
    add(labels.size());
    for (const auto& [key, value] : labels) {
      add(key);
      add(value);
    }
  }
  void add(const ResourceList& resources) {
    for (const auto& a : resources) {
      add(a.id);
      add(static_cast<std::uint64_t>(a.amount));
    }
    add(std::uint64_t{Symbol::kNone});
  }
  void add(const SelectorRequirement& r) {
    add(r.key);
    add(static_cast<std::uint64_t>(r.op));
    add(r.values);
  }
  void add(const LabelSelector& s) { add(s.requirements); }
  void add(const NodeSelectorTerm& t) {
    add(t.expressions);
    add(t.fields);
  }
  void add(const PreferredNodeTerm& t) {
    add(t.weight);
    add(t.term);
  }
  void add(const PodAffinityTerm& t) {
    add(t.selector);
    add(t.namespaces);
    add(t.namespace_selector);
    add(t.topology_key);
    add(t.match_label_keys);
    add(t.mismatch_label_keys);
  }
  void add(const PreferredPodTerm& t) {
    add(t.weight);
    add(t.term);
  }
  void add(const Toleration& t) {
    add(t.key);
    add(t.value);
    add(static_cast<std::uint64_t>(t.op) << 16 | std::uint64_t{t.any_effect} << 8 |
        static_cast<std::uint64_t>(t.effect));
  }
  void add(const SpreadConstraint& c) {
    add(c.topology_key);
    add(c.max_skew);
    add(c.min_domains);
    add(std::uint64_t{c.schedule_anyway} << 2 | std::uint64_t{c.honor_affinity} << 1 |
        std::uint64_t{c.honor_taints});
    add(c.selector);
    add(c.match_label_keys);
  }
  void add(const HostPort& p) {
    add(p.ip);
    add(p.protocol);
    add(p.port);
  }

  std::size_t result() const { return static_cast<std::size_t>(state_); }

 private:
  std::uint64_t state_ = 0x243F6A8885A308D3ull;
};

}  // namespace

std::size_t content_hash(const LabelSet& labels) {
  Hasher h;
  h.add(labels);
  return h.result();
}

std::size_t content_hash(const PodSpec& spec) {
  Hasher h;
  h.add(spec.requests);
  h.add(spec.fresh_requests);
  h.add(spec.node_selector);
  h.add(std::uint64_t{spec.has_node_affinity} << 2 | std::uint64_t{spec.has_resource_claims} << 1 |
        std::uint64_t{spec.scheduling_gated});
  h.add(spec.node_affinity);
  h.add(spec.preferred_node_affinity);
  h.add(spec.affinity);
  h.add(spec.preferred_affinity);
  h.add(spec.anti_affinity);
  h.add(spec.preferred_anti_affinity);
  h.add(spec.tolerations);
  h.add(spec.spread);
  h.add(spec.host_ports);
  h.add(spec.init_host_ports);
  return h.result();
}

}  // namespace tamp
