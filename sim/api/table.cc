#include "sim/api/table.h"

#include "sim/api/json_path.h"
#include "sim/api/printer.h"

namespace tamp::world::api {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string_view take(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const std::string_view part = trim(rest.substr(0, end));
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return part;
}

// One wish of an Accept header; NotAcceptable if it cannot be met.
Form wish(std::string_view text) {
  const std::string_view type = take(text, ';');
  std::string_view as, group, version;
  while (!text.empty()) {
    std::string_view value = take(text, ';');
    const std::string_view key = take(value, '=');
    if (key == "as") as = value;
    if (key == "g") group = value;
    if (key == "v") version = value;
  }
  if (type != "application/json" && type != "*/*" && type != "application/*") return Form::NotAcceptable;
  if (as.empty()) return Form::Object;
  if (group != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) return Form::NotAcceptable;
  if (as == "Table") return Form::Table;
  if (as == "PartialObjectMetadata") return Form::PartialMetadata;
  if (as == "PartialObjectMetadataList") return Form::PartialMetadataList;
  return Form::NotAcceptable;
}

Tree definition(std::string_view name, std::string_view type, std::string_view format,
                std::string_view description, std::int64_t priority) {
  return Tree::object({{"name", name},
                       {"type", type},
                       {"format", format},
                       {"description", description},
                       {"priority", priority}});
}

Tree built_in_columns(const Printer& printer) {
  Tree out = Tree::array();
  for (const Column& column : printer.columns)
    out.append(definition(column.name, column.type, column.format, "", column.priority));
  return out;
}

Tree custom_columns(const CustomVersion& version) {
  Tree out = Tree::array();
  out.append(definition("Name", "string", "name", "", 0));
  // Without columns of its own a kind shows its age.
  if (version.columns.empty()) out.append(definition("Age", "date", "", "", 0));
  for (const PrinterColumn& column : version.columns)
    out.append(definition(column.name, column.type, column.format, column.description, column.priority));
  return out;
}

// As fmt.Println would print it: what the column says is a string may be anything.
Tree printed(const Tree& value) {
  if (value.is_string()) return value;
  return wire::to_json(value);
}

Tree custom_cell(const Tree& object, const PrinterColumn& column, Time now) {
  const Tree* value = find_by_json_path(object, column.json_path);
  if (value == nullptr || value->is_null()) return {};
  if (column.type == "string") return printed(*value);
  if (column.type == "integer")
    return value->is_number() ? Tree(static_cast<std::int64_t>(value->number())) : Tree();
  if (column.type == "number") return value->is_number() ? *value : Tree();
  if (column.type == "boolean") return value->kind() == Tree::Kind::Boolean ? *value : Tree();
  if (column.type == "date" && value->is_string()) {
    if (!parse_rfc3339(value->string()).ok()) return "<invalid>";
    return age(*value, now);
  }
  return {};
}

Tree::Array custom_cells(const Tree& object, const CustomVersion& version, Time now) {
  Tree::Array cells{object["metadata"]["name"]};
  if (version.columns.empty()) cells.emplace_back(age(object["metadata"]["creationTimestamp"], now));
  for (const PrinterColumn& column : version.columns) cells.push_back(custom_cell(object, column, now));
  return cells;
}

}  // namespace

Form form_asked(std::string_view accept) {
  if (trim(accept).empty()) return Form::Object;
  while (!accept.empty()) {
    const Form form = wish(take(accept, ','));
    if (form != Form::NotAcceptable) return form;
  }
  return Form::NotAcceptable;
}

Tree to_table(const Resource& resource, const CustomVersion* custom, const std::vector<const Tree*>& objects,
              const Tree& list_metadata, RowObject row_object, bool with_columns, Time now) {
  const Printer& printer = printer_of(resource.id);
  Tree rows = objects.empty() ? Tree() : Tree::array();
  for (const Tree* object : objects) {
    Tree row = Tree::object();
    row.set("cells", Tree(custom ? custom_cells(*object, *custom, now) : printer.cells(*object, now)));
    if (resource.id == ResourceId::Pods && !resource.custom()) {
      const std::string_view phase = (*object)["status"]["phase"].string();
      // Output that shows only what goes on leaves these out.
      if (phase == "Succeeded" || phase == "Failed") {
        Tree done = Tree::object({{"type", "Completed"}, {"status", "True"}, {"reason", phase}});
        done.set("message", phase == "Succeeded" ? "The pod has completed successfully." : "The pod failed.");
        row.ensure("conditions").append(std::move(done));
      }
    }
    if (row_object == RowObject::Metadata) row.set("object", to_partial_metadata(*object));
    if (row_object == RowObject::Object) row.set("object", *object);
    if (row_object == RowObject::None) row.set("object", Tree());
    rows.append(std::move(row));
  }
  Tree table =
      Tree::object({{"apiVersion", "meta.k8s.io/v1"}, {"kind", "Table"}, {"metadata", list_metadata}});
  if (table["metadata"].is_null()) table.set("metadata", Tree::object());
  table.set("columnDefinitions", !with_columns ? Tree()
                                 : custom      ? custom_columns(*custom)
                                               : built_in_columns(printer));
  table.set("rows", std::move(rows));
  return table;
}

Tree to_partial_metadata(const Tree& object) {
  Tree partial = Tree::object({{"apiVersion", "meta.k8s.io/v1"},
                               {"kind", "PartialObjectMetadata"},
                               {"metadata", object["metadata"]}});
  // It stands for a field of the spec, which is not shown here.
  constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";
  if (object["kind"].string() == "DaemonSet" && object["metadata"]["annotations"].has(kTemplateGeneration)) {
    Tree& metadata = partial.ensure("metadata");
    metadata.ensure("annotations").erase(kTemplateGeneration);
    if (metadata["annotations"].empty()) metadata.erase("annotations");
  }
  return partial;
}

}  // namespace tamp::world::api
