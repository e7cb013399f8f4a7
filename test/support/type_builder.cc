#include "support/type_builder.h"

#include <algorithm>
#include <utility>

namespace tamp::test {
namespace {

std::string family_of(const std::string& name) {
  auto end = name.find_first_of(".-");
  return end == std::string::npos ? name.substr(0, 1) : name.substr(0, end);
}

std::string size_of(const std::string& name, const std::string& cpu) {
  auto dot = name.find('.');
  return dot == std::string::npos ? cpu : name.substr(dot + 1);
}

SelectorRequirement one_of(Cluster& cluster, std::string_view key, const std::vector<std::string>& values) {
  SelectorRequirement r{.key = cluster.symbols.intern(key), .op = SelectorOp::In, .values = {}};
  for (const auto& v : values) r.values.push_back(cluster.symbols.intern(v));
  std::sort(r.values.begin(), r.values.end());
  r.values.erase(std::unique(r.values.begin(), r.values.end()), r.values.end());
  return r;
}

}  // namespace

TypeBuilder::TypeBuilder(Cluster& cluster, std::string_view name) : cluster_(&cluster), name_(name) {
  cpu(2000).memory_gi(8).max_pods(110);
}

TypeBuilder& TypeBuilder::room(ResourceId id, std::int64_t amount) {
  capacity_.set(id, amount);
  return *this;
}
TypeBuilder& TypeBuilder::resource(std::string_view name, std::int64_t amount) {
  return room(cluster_->resource(name), amount);
}
TypeBuilder& TypeBuilder::arch(std::string_view value) {
  arch_ = value;
  return *this;
}
TypeBuilder& TypeBuilder::os(std::string_view value) {
  os_ = value;
  return *this;
}
TypeBuilder& TypeBuilder::price(double dollars) {
  price_ = dollars;
  return *this;
}
TypeBuilder& TypeBuilder::spot_price(double dollars) {
  spot_price_ = dollars;
  return *this;
}
TypeBuilder& TypeBuilder::zones(Values names) {
  zones_.assign(names.begin(), names.end());
  return *this;
}
TypeBuilder& TypeBuilder::offering(std::string_view zone, std::string_view capacity_type, double dollars,
                                   bool available) {
  offers_.push_back({std::string(zone), std::string(capacity_type), dollars, available});
  return *this;
}
TypeBuilder& TypeBuilder::overhead(std::int64_t cpu_milli, std::int64_t memory_mi) {
  overhead_cpu_ = cpu_milli;
  overhead_memory_mi_ = memory_mi;
  return *this;
}

void TypeBuilder::build_into(Cluster& cluster) const {
  std::vector<Offer> offers;
  auto add = [&](const Offer& offer) {
    auto same = std::find_if(offers.begin(), offers.end(), [&](const Offer& o) {
      return o.zone == offer.zone && o.capacity_type == offer.capacity_type;
    });
    if (same == offers.end())
      offers.push_back(offer);
    else
      *same = offer;
  };
  for (const auto& zone : zones_) {
    if (spot_price_ >= 0) add({zone, "spot", spot_price_, true});
    if (price_ >= 0) add({zone, "on-demand", price_, true});
  }
  for (const auto& offer : offers_) add(offer);

  InstanceType type;
  type.name = cluster.symbols.intern(name_);
  type.capacity = capacity_;
  type.allocatable = capacity_;
  type.allocatable.add(kCpu, -overhead_cpu_);
  type.allocatable.add(kMemory, -overhead_memory_mi_ * kMi);
  std::vector<std::string> zones, capacity_types;
  for (const auto& offer : offers) {
    zones.push_back(offer.zone);
    capacity_types.push_back(offer.capacity_type);
    Offering o;
    o.zone = cluster.symbols.intern(offer.zone);
    o.capacity_type = cluster.symbols.intern(offer.capacity_type);
    o.dollars = offer.dollars;
    o.price = Money::from_dollars(offer.dollars);
    o.available = offer.available;
    o.requirements = {one_of(cluster, kCapacityType, {offer.capacity_type}),
                      one_of(cluster, kZone, {offer.zone})};
    type.offerings.push_back(std::move(o));
  }
  std::string cpu = capacity_.get(kCpu) % 1000 == 0 ? std::to_string(capacity_.get(kCpu) / 1000)
                                                    : std::to_string(capacity_.get(kCpu)) + "m";
  std::int64_t gi = capacity_.get(kMemory) / kGi;
  std::string memory = gi % 1024 == 0 ? std::to_string(gi / 1024) + "Ti" : std::to_string(gi) + "Gi";
  type.requirements = {
      one_of(cluster, kInstanceType, {name_}),
      one_of(cluster, kArch, {arch_}),
      one_of(cluster, kOs, {os_}),
      one_of(cluster, kZone, zones),
      one_of(cluster, kCapacityType, capacity_types),
      one_of(cluster, "karpenter.kwok.sh/instance-size", {size_of(name_, cpu)}),
      one_of(cluster, "karpenter.kwok.sh/instance-family", {family_of(name_)}),
      one_of(cluster, "karpenter.kwok.sh/instance-cpu", {cpu}),
      one_of(cluster, "karpenter.kwok.sh/instance-memory", {memory}),
  };

  if (!cluster.catalogue) {
    cluster.catalogue.emplace();
    auto& known = cluster.catalogue->well_known;
    for (std::string_view key : {kNodePool, kZone, kRegion, kInstanceType, kArch, kOs, kCapacityType,
                                 std::string_view("node.kubernetes.io/windows-build"),
                                 std::string_view("karpenter.kwok.sh/instance-size"),
                                 std::string_view("karpenter.kwok.sh/instance-family"),
                                 std::string_view("karpenter.kwok.sh/instance-cpu"),
                                 std::string_view("karpenter.kwok.sh/instance-memory")})
      known.push_back(cluster.symbols.intern(key));
    std::sort(known.begin(), known.end());
  }
  cluster.catalogue->types.push_back(std::move(type));
}

}  // namespace tamp::test
