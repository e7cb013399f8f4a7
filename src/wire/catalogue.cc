#include "wire/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "core/ascii.h"
#include "wire/decoder.h"
#include "wire/documents.h"
#include "wire/selector.h"

namespace tamp::wire {
namespace {

constexpr std::int64_t kDefaultPods = 110;
constexpr std::int64_t kOverheadMilliCpu = 100;
constexpr std::int64_t kOverheadMemory = 10 << 20;
constexpr double kMaxPrice = 1e9;  // dollars per hour: far above any machine, and exact in nano-dollars

constexpr std::string_view kSizeLabel = "karpenter.kwok.sh/instance-size";
constexpr std::string_view kFamilyLabel = "karpenter.kwok.sh/instance-family";
constexpr std::string_view kCpuLabel = "karpenter.kwok.sh/instance-cpu";
constexpr std::string_view kMemoryLabel = "karpenter.kwok.sh/instance-memory";

// The format comes from Go structs, whose decoder ignores case; files use these two.
std::string_view spelling(Value object, std::string_view upper, std::string_view lower) {
  return object.get(upper).present() || !object.get(lower).present() ? upper : lower;
}

// ^\w+\.(nano|micro|small|medium|large|\d*xlarge|metal)$ names a size; other types are known by their cpus.
std::string_view size_of(std::string_view type, std::string_view cpu) {
  const auto dot = type.find('.');
  if (dot == std::string_view::npos || dot == 0) return cpu;
  const auto is_word = [](char c) { return is_alphanumeric(c) || c == '_'; };
  if (!std::all_of(type.begin(), type.begin() + static_cast<std::ptrdiff_t>(dot), is_word)) return cpu;
  const std::string_view size = type.substr(dot + 1);
  for (const std::string_view known : {"nano", "micro", "small", "medium", "large", "metal"})
    if (size == known) return size;
  const auto digits = std::min(size.find_first_not_of("0123456789"), size.size());
  return size.substr(digits) == "xlarge" ? size : cpu;
}

std::string_view family_of(std::string_view type) {
  const auto at = type.find_first_of(".-");
  return at == std::string_view::npos ? type.substr(0, 1) : type.substr(0, at);
}

class CatalogueDecoder {
 public:
  CatalogueDecoder(Decoder& d, Catalogue& catalogue)
      : d_(d), known_(d.cluster().known), catalogue_(catalogue) {}

  void decode_type(Value value) {
    InstanceType type;
    const std::string_view name = d_.text(value, "name");
    if (name.empty()) d_.fail(value, "is missing", "name");
    type.name = d_.intern(name);
    type.capacity = d_.resources(value, "resources");
    if (!type.capacity.has(kPods)) type.capacity.set(kPods, kDefaultPods);
    type.allocatable = allocatable_of(value, type.capacity);
    const Value::Elements offerings = d_.objects(value, "offerings");
    for (const Value item : offerings) type.offerings.push_back(decode_offering(item));
    if (d_.failed()) return;
    add_requirements(value, type);
    refuse_twin(value, type);
    catalogue_.types.push_back(std::move(type));
  }

  void finish() {
    for (const Symbol key : {known_.nodepool, known_.zone, known_.region, known_.instance_type, known_.arch,
                             known_.os, known_.capacity_type, known_.windows_build})
      catalogue_.well_known.push_back(key);
    for (const std::string_view key : {kSizeLabel, kFamilyLabel, kCpuLabel, kMemoryLabel})
      catalogue_.well_known.push_back(d_.intern(key));
    sort_unique(catalogue_.well_known);
  }

 private:
  static void sort_unique(std::vector<Symbol>& symbols) {
    std::sort(symbols.begin(), symbols.end());
    symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  }

  ResourceList allocatable_of(Value value, const ResourceList& capacity) {
    ResourceList overhead;
    if (value.get("overhead").present()) {
      overhead = d_.resources(value, "overhead");
    } else {
      overhead.set(kCpu, kOverheadMilliCpu);
      overhead.set(kMemory, kOverheadMemory);
    }
    ResourceList result = capacity;
    for (const auto& amount : overhead)
      if (result.has(amount.id))
        result.set(amount.id, std::max<std::int64_t>(0, result.get(amount.id) - amount.amount));
    // Huge pages are set aside from the node's memory.
    for (const auto& amount : capacity) {
      const std::string_view name = d_.cluster().text(d_.cluster().resource_names[amount.id.index()]);
      if (name.starts_with("hugepages-") && result.has(kMemory))
        result.set(kMemory, std::max<std::int64_t>(0, result.get(kMemory) - amount.amount));
    }
    return result;
  }

  Offering decode_offering(Value item) {
    Offering offering;
    const std::string_view price_key = spelling(item, "Price", "price");
    const auto price = d_.number(item, price_key);
    if (!price) d_.fail(item, "is missing", price_key);
    offering.dollars = price.value_or(0);
    if (!(offering.dollars >= 0 && offering.dollars < kMaxPrice))
      d_.fail(item.get(price_key), fmt::format("is {}, must be between 0 and {} dollars per hour",
                                               offering.dollars, static_cast<std::int64_t>(kMaxPrice)));
    else
      offering.price = Money::from_dollars(offering.dollars);
    offering.available = d_.flag(item, spelling(item, "Available", "available"), true);
    for (const Value r : d_.objects(item, spelling(item, "Requirements", "requirements"))) {
      offering.requirements.push_back(decode_requirement(d_, r));
      const SelectorRequirement& requirement = offering.requirements.back();
      catalogue_.well_known.push_back(requirement.key);
      if (requirement.key != known_.zone && requirement.key != known_.capacity_type) continue;
      if (requirement.op != SelectorOp::In || requirement.values.size() != 1) {
        d_.fail(r, "must be In with exactly one value: an offering is in one zone and of one capacity type");
        continue;
      }
      (requirement.key == known_.zone ? offering.zone : offering.capacity_type) = requirement.values.front();
    }
    return offering;
  }

  // Architecture and operating systems: what a type requires of them.
  std::vector<SelectorRequirement> system_of(const InstanceType& type) const {
    std::vector<SelectorRequirement> system;
    for (const SelectorRequirement& r : type.requirements)
      if (r.key == known_.arch || r.key == known_.os) system.push_back(r);
    return system;
  }

  // A machine may be listed once for each system that runs on it; the same machine with the same system, once only.
  void refuse_twin(Value value, const InstanceType& type) {
    const auto [first, last] = positions_.equal_range(type.name);
    if (std::any_of(first, last, [&](const auto& at) {
          return system_of(catalogue_.types[at.second]) == system_of(type);
        }))
      d_.fail(value.get("name"),
              fmt::format("there is already a type \"{}\" of this architecture and these operating systems",
                          d_.cluster().text(type.name)));
    positions_.emplace(type.name, catalogue_.types.size());
  }

  void add_requirement(InstanceType& type, Symbol key, std::vector<Symbol> values) {
    sort_unique(values);
    type.requirements.push_back({key, SelectorOp::In, std::move(values)});
  }

  void add_requirements(Value value, InstanceType& type) {
    const Value resources = value.get("resources");
    const auto canonical = [&](std::string_view resource) {
      const auto quantity = d_.quantity(resources, resource);
      return quantity ? quantity->canonical() : std::string();
    };
    const std::string cpu = canonical("cpu"), memory = canonical("memory");
    const std::string_view name = d_.cluster().text(type.name);
    std::vector<Symbol> zones, capacity_types;
    for (const Offering& offering : type.offerings) {
      if (offering.zone.valid()) zones.push_back(offering.zone);
      if (offering.capacity_type.valid()) capacity_types.push_back(offering.capacity_type);
    }
    add_requirement(type, known_.instance_type, {type.name});
    add_requirement(type, known_.arch, {d_.intern(d_.text(value, "architecture"))});
    add_requirement(type, known_.os, d_.symbols(value, "operatingSystems"));
    add_requirement(type, known_.zone, std::move(zones));
    add_requirement(type, known_.capacity_type, std::move(capacity_types));
    add_requirement(type, d_.intern(kSizeLabel), {d_.intern(size_of(name, cpu))});
    add_requirement(type, d_.intern(kFamilyLabel), {d_.intern(family_of(name))});
    add_requirement(type, d_.intern(kCpuLabel), {d_.intern(cpu)});
    add_requirement(type, d_.intern(kMemoryLabel), {d_.intern(memory)});
  }

  Decoder& d_;
  const WellKnown& known_;
  Catalogue& catalogue_;
  std::unordered_multimap<Symbol, std::size_t> positions_;  // in the catalogue, by name
};

}  // namespace

Status read_catalogue(Cluster& cluster, const Input& input) {
  auto documents = parse_documents(input.bytes);
  if (!documents) return std::move(documents).error().with(input.name);
  const Value root = documents->front().root();
  if (documents->size() != 1 || !root.is_array())
    return Error{"must be one list of instance types"}.with(input.name);

  Catalogue catalogue;
  Decoder d(cluster, root);
  CatalogueDecoder types(d, catalogue);
  std::size_t index = 0;
  for (const Value value : root.elements()) {
    if (!value.is_object()) d.fail(value, "must be an object");
    types.decode_type(value);
    if (d.failed()) {
      const auto name = value.get("name").string();
      const std::string title =
          name ? fmt::format("instance type {}", *name) : fmt::format("instance type #{}", index);
      return d.error().with(title).with(input.name);
    }
    ++index;
  }
  types.finish();
  cluster.catalogue = std::move(catalogue);
  return success();
}

}  // namespace tamp::wire
