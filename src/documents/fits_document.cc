#include "documents/fits_document.h"

#include "core/json_writer.h"
#include "documents/yaml_writer.h"

namespace tamp::documents {
namespace {

template <typename Writer>
std::string document(Writer w, const Cluster& cluster, const std::vector<fit::PodFit>& fits) {
  w.begin_object();
  w.key("pods").begin_array();
  for (const fit::PodFit& fit : fits) {
    const Pod& pod = cluster.pods[fit.pod.index()];
    w.begin_object();
    w.field("namespace", cluster.text(pod.ns)).field("name", cluster.text(pod.name));
    w.key("nodes").begin_array();
    for (const fit::NodeFit& node : fit.nodes) {
      w.begin_object();
      w.field("name", cluster.text(cluster.nodes[node.node.index()].name));
      w.field("fits", node.reason[0] == '\0').field("reason", node.reason);
      w.end_object();
    }
    w.end_array();
    w.end_object();
  }
  w.end_array();
  w.end_object();
  return w.take();
}

}  // namespace

std::string fits_json(const Cluster& cluster, const std::vector<fit::PodFit>& fits) {
  return document(JsonWriter(), cluster, fits) + "\n";
}

std::string fits_yaml(const Cluster& cluster, const std::vector<fit::PodFit>& fits) {
  return document(YamlWriter(), cluster, fits);
}

}  // namespace tamp::documents
