#include "sim/autoscalers/machines.h"

#include "wire/quantity.h"

namespace tamp::world {
namespace {

using wire::Tree;

Result<std::int64_t> amount(const Tree& resources, std::string_view name, bool millis) {
  const Tree& value = resources[name];
  auto parsed = wire::parse_quantity(value.is_string() ? value.string() : wire::to_json(value));
  if (!parsed) return std::move(parsed).error().with("resources." + std::string(name));
  return millis ? parsed->millis() : parsed->units();
}

// The value that a requirement pins a label to; empty if it leaves a choice.
std::string pinned(const Tree& requirements, std::string_view key) {
  for (const Tree& requirement : requirements.elements())
    if (requirement["key"].string() == key && requirement["values"].size() == 1)
      return std::string(requirement["values"].elements()[0].string());
  return {};
}

Result<Machine> read_machine(const Tree& tree) {
  Machine machine;
  machine.name = tree["name"].string();
  machine.architecture = tree["architecture"].string("amd64");
  const auto& systems = tree["operatingSystems"].elements();
  machine.os = systems.empty() ? "linux" : systems.front().string("linux");
  machine.capacity = tree["resources"];
  TAMP_TRY(const std::int64_t cpu, amount(machine.capacity, "cpu", true));
  TAMP_TRY(const std::int64_t memory, amount(machine.capacity, "memory", false));
  machine.cpu_millis = cpu - kSystemCpuMillis;
  machine.memory_bytes = memory - kSystemMemoryBytes;
  machine.pods = 110;
  if (machine.capacity.has("pods")) {
    TAMP_TRY(machine.pods, amount(machine.capacity, "pods", false));
  } else {
    machine.capacity.set("pods", "110");
  }
  for (const Tree& offering : tree["offerings"].elements()) {
    const Tree& requirements = offering["Requirements"];
    machine.offers.push_back({pinned(requirements, "topology.kubernetes.io/zone"),
                              pinned(requirements, "karpenter.sh/capacity-type"), offering["Price"].number(),
                              offering["Available"].boolean(true)});
  }
  return machine;
}

}  // namespace

const Machine* Machines::find(std::string_view name) const {
  for (const Machine& machine : all)
    if (machine.name == name) return &machine;
  return nullptr;
}

const MachineOffer* Machines::offer(const Machine& machine, std::string_view zone,
                                    std::string_view capacity_type) {
  for (const MachineOffer& offer : machine.offers)
    if (offer.available && (zone.empty() || offer.zone == zone) &&
        (capacity_type.empty() || offer.capacity_type == capacity_type))
      return &offer;
  return nullptr;
}

Result<Machines> read_machines(const Tree& catalogue) {
  if (!catalogue.is_array()) return Error{"a machine catalogue is a list"};
  Machines machines;
  for (const Tree& entry : catalogue.elements()) {
    auto machine = read_machine(entry);
    if (!machine) return std::move(machine).error().with("machine " + std::string(entry["name"].string("?")));
    machines.all.push_back(std::move(*machine));
  }
  return machines;
}

}  // namespace tamp::world
