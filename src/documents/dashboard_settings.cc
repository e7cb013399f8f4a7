#include <fmt/format.h>

#include "core/json_writer.h"
#include "documents/dashboard_documents.h"
#include "documents/setting_words.h"
#include "documents/what_if.h"
#include "documents/yaml_writer.h"
#include "explain/words.h"
#include "wire/tree_writer.h"

namespace tamp::documents {
namespace {

using wire::Tree;

// What a person wrote, without what the server keeps beside it.
std::string policy_yaml(const Tree& object) {
  if (!object.is_object()) return "";
  Tree annotations = object.at({"metadata", "annotations"});
  if (annotations.is_object()) annotations.erase("kubectl.kubernetes.io/last-applied-configuration");
  Tree metadata = Tree::object({{"name", object.at({"metadata", "name"})}});
  if (!annotations.empty()) metadata.set("annotations", std::move(annotations));
  documents::YamlWriter w;
  w.begin_object().field("apiVersion", object["apiVersion"].string()).field("kind", object["kind"].string());
  wire::write(w.key("metadata"), metadata);
  wire::write(w.key("spec"), object["spec"].is_null() ? Tree::object() : object["spec"]);
  w.end_object();
  return w.take();
}

void write_effective(JsonWriter& w, const Scene& scene) {
  const Settings& settings = scene.settings;
  const auto line = [&](std::string_view setting, std::string_view value, SettingSource source) {
    w.begin_object().field("setting", setting).field("value", value);
    w.field("source", explain::name(source)).end_object();
  };
  const auto yes = [](bool value) { return value ? "true" : "false"; };
  w.key("effective").begin_array();
  line("consolidation.enabled", yes(settings.consolidation_enabled.value),
       settings.consolidation_enabled.source);
  line("utilizationThreshold", explain::decimal(settings.utilization_threshold.value),
       settings.utilization_threshold.source);
  line("minNodeLifetime", format_duration(settings.min_node_lifetime.value),
       settings.min_node_lifetime.source);
  line("allowUnownedPods", yes(settings.allow_unowned_pods.value), settings.allow_unowned_pods.source);
  line("limits.minNodes", std::to_string(settings.min_nodes.value), settings.min_nodes.source);
  line("limits.protectSingleReplica", yes(settings.protect_single_replica.value),
       settings.protect_single_replica.source);
  const Cluster& cluster = scene.cluster();
  for (std::size_t i = 0; i < settings.pools.size() && i < cluster.pools.size(); ++i) {
    const PoolSettings& pool = settings.pools[i];
    const std::string name = "pool " + explain::text(cluster, cluster.pools[i].name) + ": ";
    line(name + "consolidationPolicy", word(pool.policy.value), pool.policy.source);
    line(name + "consolidateAfter", text(pool.consolidate_after.value), pool.consolidate_after.source);
    line(name + "consolidationSavingsThreshold", fmt::format("{:g}", pool.savings_threshold.value),
         pool.savings_threshold.source);
    line(name + "consolidationGracePeriod", text(pool.grace_period.value), pool.grace_period.source);
  }
  w.end_array();
}

}  // namespace

std::string policy_document(const Look& look, const Tree& object) {
  JsonWriter w;
  w.begin_object().field("name", object.at({"metadata", "name"}).string("default"));
  w.field("yaml", policy_yaml(object));
  write_effective(w, *look.scene);
  write_present(w.key("whatIf"), *look.scene);
  w.end_object();
  return w.take();
}

}  // namespace tamp::documents
