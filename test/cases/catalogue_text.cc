#include "cases/catalogue_text.h"

#include <fmt/format.h>

#include <vector>

#include "cases/yaml_json.h"
#include "core/json_writer.h"

namespace tamp::cases {
namespace {

struct Offer {
  std::string zone, capacity_type;
  double price;
  bool available;
};

struct Machine {
  std::string name, cpu, memory, pods, arch = "amd64", os = "linux";
  std::vector<Offer> offers;
};

void write_requirement(JsonWriter& out, const char* key, const std::string& value) {
  out.begin_object().field("key", key).field("operator", "In").key("values").begin_array();
  out.string(value).end_array().end_object();
}

void write_machine(JsonWriter& out, const Machine& m) {
  out.begin_object().field("name", m.name).field("architecture", m.arch);
  out.key("operatingSystems").begin_array().string(m.os).end_array();
  out.key("resources").begin_object();
  out.field("cpu", m.cpu).field("memory", m.memory).field("pods", m.pods).field("ephemeral-storage", "20Gi");
  out.end_object();
  out.key("offerings").begin_array();
  for (const auto& o : m.offers) {
    out.begin_object()
        .field("Price", o.price)
        .field("Available", o.available)
        .key("Requirements")
        .begin_array();
    write_requirement(out, "karpenter.sh/capacity-type", o.capacity_type);
    write_requirement(out, "topology.kubernetes.io/zone", o.zone);
    out.end_array().end_object();
  }
  out.end_array().end_object();
}

std::string name_in_a(int cpu, int memory, const std::string& arch, const std::string& os,
                      const std::string& zone, const std::string& capacity_type) {
  return fmt::format("{}-cpu-{}-mem-{}-{}-{}-{}", cpu, memory, arch, os, zone, capacity_type);
}

Machine machine_in_a(int cpu, int memory, const char* zone, const char* capacity_type,
                     const char* arch = "amd64", const char* os = "linux") {
  const double price = 0.1 * cpu + 0.1073741824 * memory;
  return {name_in_a(cpu, memory, arch, os, zone, capacity_type),
          std::to_string(cpu),
          fmt::format("{}Gi", memory),
          "5",
          arch,
          os,
          {{zone, capacity_type, price, true}}};
}

constexpr const char* kZones[] = {"test-zone-1", "test-zone-2", "test-zone-3"};
constexpr const char* kCapacityTypes[] = {"spot", "on-demand"};

void write_a(JsonWriter& out) {
  for (int cpu = 1; cpu <= 64; cpu *= 2)
    for (int memory = 1; memory <= 128; memory *= 2)
      for (const char* zone : kZones)
        for (const char* capacity_type : kCapacityTypes)
          for (const char* os : {"linux", "windows"})
            for (const char* arch : {"amd64", "arm64"})
              write_machine(out, machine_in_a(cpu, memory, zone, capacity_type, arch, os));
}

void write_few(JsonWriter& out) {
  for (const char* zone : kZones)
    for (const char* capacity_type : kCapacityTypes) {
      write_machine(out, machine_in_a(1, 1, zone, capacity_type));
      write_machine(out, machine_in_a(32, 4, zone, capacity_type));
      write_machine(out, machine_in_a(64, 128, zone, capacity_type));
    }
}

Machine machine_of(const YAML::Node& node) {
  Machine m;
  m.name = text(node, "name");
  m.cpu = text(node, "cpu", "4");
  m.memory = text(node, "memory", "16Gi");
  m.pods = text(node, "pods", "110");
  m.arch = text(node, "arch", "amd64");
  std::vector<std::string> zones{"test-zone-1", "test-zone-2", "test-zone-3"};
  if (node["zones"]) zones = node["zones"].as<std::vector<std::string>>();
  for (const char* kind : kCapacityTypes)
    if (node[kind])
      for (const auto& zone : zones) m.offers.push_back({zone, kind, node[kind].as<double>(), true});
  for (const auto& o : node["offerings"])
    m.offers.push_back(
        {text(o, "zone"), text(o, "capacityType"), o["price"].as<double>(), flag(o, "available", true)});
  return m;
}

}  // namespace

std::string catalogue_text(const YAML::Node& catalogue) {
  JsonWriter out;
  out.begin_array();
  if (!catalogue)
    write_few(out);
  else if (catalogue.IsScalar())
    write_a(out);
  else
    for (const auto& node : catalogue) write_machine(out, machine_of(node));
  out.end_array();
  return out.take();
}

std::string type_name(const std::string& word) {
  auto of_a = [](int cpu, int memory, const char* zone, const char* capacity_type) {
    return name_in_a(cpu, memory, "amd64", "linux", zone, capacity_type);
  };
  if (word == "L") return of_a(1, 1, "test-zone-1", "on-demand");
  if (word == "L2") return of_a(1, 1, "test-zone-2", "on-demand");
  if (word == "L3") return of_a(1, 1, "test-zone-3", "on-demand");
  if (word == "M") return of_a(64, 128, "test-zone-1", "on-demand");
  if (word == "M2") return of_a(64, 128, "test-zone-2", "on-demand");
  if (word == "M3") return of_a(64, 128, "test-zone-3", "on-demand");
  if (word == "mid") return of_a(32, 4, "test-zone-1", "on-demand");
  if (word == "Ls") return of_a(1, 1, "test-zone-1", "spot");
  if (word == "Ms") return of_a(64, 128, "test-zone-1", "spot");
  return word;
}

Origin origin_of(const std::string& type) {
  Origin origin;
  for (const char* zone : kZones)
    if (type.find(zone) != std::string::npos) origin.zone = zone;
  for (const char* capacity_type : kCapacityTypes)
    if (type.ends_with(capacity_type)) origin.capacity_type = capacity_type;
  return origin;
}

}  // namespace tamp::cases
