#include "wire/dump.h"

#include <fmt/format.h>

namespace tamp::wire {
namespace {

// Writes what the fields name. With pseudonyms, names are replaced.
class Writer {
 public:
  Writer(JsonWriter& out, const Pseudonyms* names) : out_(out), names_(names) {}

  void item(const KindInfo& kind, Value value) {
    out_.begin_object();
    out_.field("apiVersion", kind.group.empty() ? std::string(kind.version)
                                                : fmt::format("{}/{}", kind.group, kind.version));
    out_.field("kind", kind.kind);
    fields(value, dump_fields(kind.id));
    out_.end_object();
  }

 private:
  void fields(Value value, const DumpField& known) {
    // In the order of the table: of two equal keys the last one counts, as for every reader.
    for (const DumpField& field : known.children) {
      const Value child = value.get(field.name);
      if (!child.present()) continue;
      out_.key(field.name);
      write(child, field);
    }
  }

  void write(Value value, const DumpField& field) {
    if (value.is_array()) {
      out_.begin_array();
      for (const Value element : value.elements()) write(element, field);
      out_.end_array();
      return;
    }
    switch (field.treatment) {
      case Treatment::Inner:
        if (!value.is_object()) return scalar(value, field.treatment);
        out_.begin_object();
        fields(value, field);
        out_.end_object();
        return;
      case Treatment::Empty:
        out_.begin_object().end_object();
        return;
      case Treatment::Requirement:
        return requirement(value);
      case Treatment::Keep:
      case Treatment::Word:
      case Treatment::Name:
      case Treatment::Path:
      case Treatment::Value:
      case Treatment::Labels:
      case Treatment::NodeLabels:
        return any(value, field.treatment);
    }
  }

  void requirement(Value value) {
    out_.begin_object();
    for (const Field field : value.fields()) {
      if (field.key != "key" && field.key != "operator" && field.key != "values" && field.key != "minValues")
        continue;
      out_.key(field.key);
      any(field.value, field.key == "values" ? Treatment::Value : Treatment::Keep);
    }
    out_.end_object();
  }

  void any(Value value, Treatment treatment) {
    if (value.is_object()) {
      out_.begin_object();
      for (const Field field : value.fields()) {
        out_.key(field.key);
        // What labels say of machines needs no distinction here: words are never replaced.
        any(field.value, treatment);
      }
      out_.end_object();
    } else if (value.is_array()) {
      out_.begin_array();
      for (const Value element : value.elements()) any(element, treatment);
      out_.end_array();
    } else {
      scalar(value, treatment);
    }
  }

  void scalar(Value value, Treatment treatment) {
    if (const auto text = value.string()) {
      if (treatment == Treatment::Inner)
        out_.null();  // not what it should be, and perhaps a secret
      else if (!names_ || treatment == Treatment::Keep || treatment == Treatment::Word)
        out_.string(*text);
      else if (treatment == Treatment::Path)
        out_.string(names_->of_path(*text));
      else
        out_.string(names_->of(*text));
    } else if (const auto flag = value.boolean()) {
      out_.boolean(*flag);
    } else if (value.kind() == Value::Kind::Integer) {
      out_.integer(*value.integer());
    } else if (const auto number = value.number()) {
      out_.number(*number);
    } else {
      out_.null();
    }
  }

  JsonWriter& out_;
  const Pseudonyms* names_;
};

// Tells the pseudonyms what there is.
class Collector {
 public:
  explicit Collector(Pseudonyms& names) : names_(names) {}

  void item(ObjectKind kind, Value value) {
    visit(value, dump_fields(kind));
    if (kind != ObjectKind::Pod) return;
    const auto pod = value.get("metadata").get("name").string();
    for (const Value volume : value.get("spec").get("volumes").elements())
      if (const auto name = volume.get("name").string(); pod && name && volume.get("ephemeral").present())
        names_.add_pod_claim(*pod, *name);
  }

 private:
  void visit(Value value, const DumpField& field) {
    for (const Value element : value.elements()) visit(element, field);
    if (value.is_array()) return;
    switch (field.treatment) {
      case Treatment::Inner:
        for (const DumpField& child : field.children)
          if (const Value found = value.get(child.name); found.present()) visit(found, child);
        return;
      case Treatment::Requirement:
        strings(value.get("values"),
                holds_words(value.get("key").string().value_or("")) ? Treatment::Word : Treatment::Value);
        return;
      case Treatment::Labels:
      case Treatment::NodeLabels:
        for (const Field label : value.fields())
          strings(label.value, label_treatment(label.key, field.treatment));
        return;
      case Treatment::Keep:
      case Treatment::Empty:
        return;
      case Treatment::Word:
      case Treatment::Name:
      case Treatment::Path:
      case Treatment::Value:
        return strings(value, field.treatment);
    }
  }

  static Treatment label_treatment(std::string_view key, Treatment labels) {
    if (key == "kubernetes.io/hostname") return Treatment::Name;
    return labels == Treatment::NodeLabels && holds_words(key) ? Treatment::Word : Treatment::Value;
  }

  void strings(Value value, Treatment treatment) {
    for (const Value element : value.elements()) strings(element, treatment);
    for (const Field field : value.fields()) strings(field.value, treatment);
    const auto text = value.string();
    if (!text) return;
    if (treatment == Treatment::Word) names_.add_word(*text);
    if (treatment == Treatment::Name) names_.add_name(*text);
    if (treatment == Treatment::Path) names_.add_path(*text);
    if (treatment == Treatment::Value) names_.add_value(*text);
  }

  Pseudonyms& names_;
};

// The items of a page as they were written by add_page.
template <typename Visit>
Status each_item(const std::string& page, Visit visit) {
  TAMP_TRY(const Json items, Json::parse(fmt::format("[{}]", page)));
  for (const Value item : items.root().elements()) visit(item);
  return success();
}

}  // namespace

Result<PageInfo> Dump::add_page(ObjectKind kind, std::string bytes) {
  TAMP_TRY(const Json page, Json::parse(bytes));
  TAMP_TRY(PageInfo page_info, read_page_info(page.root()));
  const Value items = page.root().get("items");
  if (items.present() && !items.is_array()) return Error{"items: must be a list"};
  std::string text;
  for (const Value item : items.elements()) {
    if (!item.is_object()) return Error{"items: must hold objects"};
    JsonWriter out;
    Writer(out, nullptr).item(info(kind), item);
    if (!text.empty()) text += ",\n";
    text += out.text();
  }
  if (!text.empty()) pages_[static_cast<std::size_t>(kind)].push_back(std::move(text));
  return page_info;
}

Status Dump::write(const std::function<void(std::string_view)>& sink) const {
  Pseudonyms names;
  if (options_.mask) {
    Collector collector(names);
    for (const KindInfo& kind : kinds())
      for (const std::string& page : pages_[static_cast<std::size_t>(kind.id)])
        TAMP_CHECK(each_item(page, [&](Value item) { collector.item(kind.id, item); }));
    names.settle();
  }
  sink("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n");
  bool first = true;
  for (const KindInfo& kind : kinds())
    for (const std::string& page : pages_[static_cast<std::size_t>(kind.id)]) {
      if (!options_.mask) {
        if (!std::exchange(first, false)) sink(",\n");
        sink(page);
        continue;
      }
      TAMP_CHECK(each_item(page, [&](Value item) {
        JsonWriter out;
        Writer(out, &names).item(kind, item);
        if (!std::exchange(first, false)) sink(",\n");
        sink(out.text());
      }));
    }
  sink("\n]}\n");
  return success();
}

}  // namespace tamp::wire
