#include "replay/staging.h"

#include <array>
#include <utility>

#include "core/json_writer.h"

namespace tamp::replay {
namespace {

struct Machine {
  const char* name;
  int cores, gigabytes;
  double dollars;
};
// What small nodes of common families cost on demand (us-east-1, 2025): many machines of one size, pennies apart.
constexpr std::array kMachines = {
    Machine{"c6a.large", 2, 4, 0.0765},       Machine{"c7i-flex.large", 2, 4, 0.08479},
    Machine{"c6i.large", 2, 4, 0.085},        Machine{"m6a.large", 2, 8, 0.0864},
    Machine{"m7i-flex.large", 2, 8, 0.09576}, Machine{"m6i.large", 2, 8, 0.096},
    Machine{"r6a.large", 2, 16, 0.1134},      Machine{"r6i.large", 2, 16, 0.126}};

void requirement(JsonWriter& w, const char* key, const char* value) {
  w.begin_object().field("key", key).field("operator", "In");
  w.key("values").begin_array().string(value).end_array().end_object();
}

std::string catalogue() {
  JsonWriter w;
  w.begin_array();
  for (const Machine& m : kMachines) {
    w.begin_object().field("name", m.name).field("architecture", "amd64");
    w.key("operatingSystems").begin_array().string("linux").end_array();
    w.key("resources").begin_object();
    w.field("cpu", std::to_string(m.cores)).field("memory", std::to_string(m.gigabytes) + "Gi");
    w.field("pods", "110").field("ephemeral-storage", "20Gi").end_object();
    w.key("offerings").begin_array().begin_object().field("Price", m.dollars).field("Available", true);
    w.key("Requirements").begin_array();
    requirement(w, "karpenter.sh/capacity-type", "on-demand");
    requirement(w, "topology.kubernetes.io/zone", "zone-a");
    w.end_array().end_object().end_array().end_object();
  }
  w.end_array();
  return w.take();
}

void metadata(JsonWriter& w, std::string_view name) {
  w.key("metadata").begin_object();
  w.field("name", name).field("uid", name).field("creationTimestamp", "2026-01-01T00:00:00Z");
}

// The pool, and a pod of each deployment, which tells what the codec makes of one.
std::string objects(const Workload& workload) {
  JsonWriter w;
  w.begin_object().field("apiVersion", "v1").field("kind", "List").key("items").begin_array();
  w.begin_object().field("apiVersion", "karpenter.sh/v1").field("kind", "NodePool");
  metadata(w, "default");
  w.end_object();
  w.key("spec").begin_object().key("template").begin_object().key("spec").begin_object();
  w.key("nodeClassRef").begin_object().field("group", "karpenter.kwok.sh").field("kind", "KWOKNodeClass");
  w.field("name", "default").end_object().field("expireAfter", "Never");
  w.key("requirements").begin_array();
  requirement(w, "kubernetes.io/os", "linux");
  requirement(w, "karpenter.sh/capacity-type", "on-demand");
  w.end_array().end_object().end_object().end_object();
  w.key("status").begin_object().key("conditions").begin_array().begin_object();
  w.field("type", "Ready").field("status", "True").field("lastTransitionTime", "2026-01-01T00:00:00Z");
  w.end_object().end_array().end_object().end_object();
  for (const Deployment& d : workload.deployments) {
    w.begin_object().field("apiVersion", "v1").field("kind", "Pod");
    metadata(w, d.name);
    w.field("namespace", "default").key("labels").begin_object().field("app", d.name).end_object();
    w.key("ownerReferences").begin_array().begin_object().field("apiVersion", "apps/v1");
    w.field("kind", "ReplicaSet").field("name", d.name).field("uid", d.name).field("controller", true);
    w.end_object().end_array().end_object();
    w.key("spec").begin_object().key("containers").begin_array().begin_object().field("name", "main");
    w.key("resources").begin_object().key("requests").begin_object();
    w.field("cpu", std::to_string(d.cpu_milli) + "m").field("memory", std::to_string(d.memory_mib) + "Mi");
    w.end_object().end_object().end_object().end_array().end_object();
    w.key("status").begin_object().field("phase", "Running").key("conditions").begin_array();
    w.begin_object().field("type", "Ready").field("status", "True").end_object().end_array();
    w.end_object().end_object();
  }
  w.end_array().end_object();
  return w.take();
}

}  // namespace

Result<Stage> set_stage(const Workload& workload, const std::optional<wire::Input>& instance_types) {
  wire::Inputs inputs;
  inputs.objects.push_back({"the workload", objects(workload)});
  inputs.instance_types =
      instance_types ? *instance_types : wire::Input{"the built-in catalogue", catalogue()};
  TAMP_TRY(wire::Reading reading, wire::read_snapshot(inputs));
  Stage stage;
  for (const Deployment& d : workload.deployments) {
    const PodId id = reading.cluster.find_pod("default", d.name);
    if (!id.valid()) return Error{"deployment " + d.name + ": its name will not do for a pod"};
    stage.replicas.push_back(reading.cluster.pods[id.index()]);
  }
  stage.cluster = std::move(reading.cluster);
  stage.cluster.pods.clear();
  return stage;
}

}  // namespace tamp::replay
