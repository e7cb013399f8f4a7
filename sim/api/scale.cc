#include "sim/api/scale.h"

#include <string>
#include <vector>

namespace tamp::world::api {
namespace {

const Tree& at(const Tree& object, const std::vector<std::string>& path) {
  const Tree* place = &object;
  for (const std::string& key : path) place = &(*place)[key];
  return *place;
}

// metav1.LabelSelector as the text that clients put into a query.
std::string selector_text(const Tree& selector) {
  std::string text;
  const auto add = [&](const std::string& term) {
    if (!text.empty()) text += ',';
    text += term;
  };
  for (const Tree::Member& label : selector["matchLabels"].members())
    add(label.key + "=" + std::string(label.value.string()));
  for (const Tree& expression : selector["matchExpressions"].elements()) {
    const std::string key(expression["key"].string());
    const std::string_view op = expression["operator"].string();
    std::string values;
    for (const Tree& value : expression["values"].elements()) {
      if (!values.empty()) values += ',';
      values += value.string();
    }
    if (op == "In") add(key + " in (" + values + ")");
    if (op == "NotIn") add(key + " notin (" + values + ")");
    if (op == "Exists") add(key);
    if (op == "DoesNotExist") add("!" + key);
  }
  return text;
}

}  // namespace

Tree scale_of(const Object& object, const CustomVersion* custom) {
  Tree metadata = Tree::object();
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"})
    if (const Tree* value = object.metadata().find(key)) metadata.set(key, *value);
  Tree spec = Tree::object(), status = Tree::object();
  if (custom != nullptr && custom->scale) {
    if (const std::int64_t replicas = at(object.tree(), custom->scale->spec_replicas).integer();
        replicas != 0)
      spec.set("replicas", replicas);
    status.set("replicas", at(object.tree(), custom->scale->status_replicas).integer());
    const std::string_view selector = at(object.tree(), custom->scale->label_selector).string();
    if (!selector.empty()) status.set("selector", selector);
  } else {
    if (const std::int64_t replicas = object.spec()["replicas"].integer(); replicas != 0)
      spec.set("replicas", replicas);
    status.set("replicas", object.status()["replicas"].integer());
    if (std::string text = selector_text(object.spec()["selector"]); !text.empty())
      status.set("selector", std::move(text));
  }
  return Tree::object({{"apiVersion", "autoscaling/v1"},
                       {"kind", "Scale"},
                       {"metadata", std::move(metadata)},
                       {"spec", std::move(spec)},
                       {"status", std::move(status)}});
}

Tree with_scale(const Object& object, const Tree& scale, const CustomVersion* custom) {
  Tree updated = object.tree();
  const std::int64_t replicas = scale["spec"]["replicas"].integer();
  if (custom != nullptr && custom->scale) {
    Tree* place = &updated;
    for (const std::string& key : custom->scale->spec_replicas) place = &place->ensure(key);
    *place = replicas;
  } else {
    updated.ensure({"spec", "replicas"}) = replicas;
  }
  if (const Tree* version = scale["metadata"].find("resourceVersion"))
    updated.ensure("metadata").set("resourceVersion", *version);
  return updated;
}

}  // namespace tamp::world::api
