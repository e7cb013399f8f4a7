#include "sim/api/show.h"

#include "sim/api/yaml_text.h"

namespace tamp::world::api {
namespace {

// Elements of a list of built-in objects do not repeat what the list says.
void append_element(std::string& out, const Showing& showing, const ObjectPtr& object) {
  const Resource& resource = *showing.resource;
  if (resource.custom() && resource.storage) {
    out += object->json();
    return;
  }
  if (resource.storage) {
    // Without apiVersion and kind, and without copying the object for that.
    out += '{';
    bool first = true;
    for (const Tree::Member& member : object->tree().members()) {
      if (member.key == "apiVersion" || member.key == "kind") continue;
      if (!first) out += ',';
      first = false;
      out += '"';
      out += member.key;
      out += "\":";
      wire::append_json(out, member.value);
    }
    out += '}';
    return;
  }
  Tree shown = in_version(resource, object->tree());
  if (!resource.custom()) {
    shown.erase("apiVersion");
    shown.erase("kind");
  }
  wire::append_json(out, shown);
}

Tree table_of(const Showing& showing, const std::vector<ObjectPtr>& objects, const Tree& metadata,
              bool with_columns) {
  std::vector<Tree> converted;
  std::vector<const Tree*> trees;
  trees.reserve(objects.size());
  if (!showing.resource->storage) {
    converted.reserve(objects.size());
    for (const ObjectPtr& object : objects)
      converted.push_back(in_version(*showing.resource, object->tree()));
    for (const Tree& tree : converted) trees.push_back(&tree);
  } else {
    for (const ObjectPtr& object : objects) trees.push_back(&object->tree());
  }
  return to_table(*showing.resource, showing.custom, trees, metadata, showing.row_object, with_columns,
                  showing.now);
}

}  // namespace

Showing showing_of(const Backend& backend, const Resource& resource, std::string_view accept,
                   const Query& query) {
  Showing showing;
  showing.resource = &resource;
  showing.custom = custom_version(backend, resource);
  showing.form = asks_for_yaml(accept) ? Form::Object : form_asked(accept);
  const std::string_view rows = query["includeObject"];
  showing.row_object = rows == "None"     ? RowObject::None
                       : rows == "Object" ? RowObject::Object
                                          : RowObject::Metadata;
  showing.now = backend.now;
  return showing;
}

Tree in_version(const Resource& resource, const Tree& stored) {
  if (resource.storage) return stored;
  Tree shown = stored;
  shown.set("apiVersion", resource.api_version());
  return shown;
}

std::string object_text(const Showing& showing, const ObjectPtr& object) {
  return event_text(showing, object, true);
}

std::string event_text(const Showing& showing, const ObjectPtr& object, bool with_columns) {
  switch (showing.form) {
    case Form::Table: {
      const Tree metadata = Tree::object({{"resourceVersion", object->metadata()["resourceVersion"]}});
      return wire::to_json(table_of(showing, {object}, metadata, with_columns));
    }
    case Form::PartialMetadata:
    case Form::PartialMetadataList:
      return wire::to_json(to_partial_metadata(object->tree()));
    default:
      break;
  }
  return showing.resource->storage ? object->json()
                                   : wire::to_json(in_version(*showing.resource, object->tree()));
}

std::string list_text(const Showing& showing, const std::vector<ObjectPtr>& items, Tree metadata) {
  // Only lists without a type of their own show a continue that is empty.
  if (showing.form != Form::Object && metadata["continue"].string().empty()) metadata.erase("continue");
  if (showing.form == Form::Table) return wire::to_json(table_of(showing, items, metadata, true));
  const bool partial = showing.form == Form::PartialMetadata || showing.form == Form::PartialMetadataList;
  std::string out = "{\"apiVersion\":\"";
  out += partial ? "meta.k8s.io/v1" : showing.resource->api_version();
  out += "\",\"items\":[";
  bool first = true;
  for (const ObjectPtr& object : items) {
    if (!first) out += ',';
    first = false;
    if (partial)
      wire::append_json(out, to_partial_metadata(object->tree()));
    else
      append_element(out, showing, object);
  }
  out += "],\"kind\":\"";
  out += partial ? "PartialObjectMetadataList" : showing.resource->list_kind;
  out += "\",\"metadata\":";
  wire::append_json(out, metadata);
  out += '}';
  return out;
}

}  // namespace tamp::world::api
