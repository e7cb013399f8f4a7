#include "wire/autoscaler_status.h"

#include <algorithm>
#include <charconv>

#include "wire/text_at.h"
#include "wire/yaml.h"

namespace tamp::wire {
namespace {

std::optional<std::int64_t> size_at(Value health, std::string_view key) {
  const auto value = health.get(key).integer();
  return value && *value >= 0 ? value : std::nullopt;
}

void add(AutoscalerStatus& status, AutoscalerGroup group) {
  if (!group.name.empty() && status.groups.size() < kMaxAutoscalerGroups)
    status.groups.push_back(std::move(group));
}

void read_document(Value root, AutoscalerStatus& status) {
  for (const Value group : root.get("nodeGroups").elements()) {
    const Value health = group.get("health");
    add(status, {text_at(group, "name"), size_at(health, "minSize"), size_at(health, "maxSize"),
                 size_at(health, "cloudProviderTarget")});
  }
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// "minSize=1" somewhere in the line.
std::optional<std::int64_t> number_after(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t value = 0;
  const char* begin = line.data() + at + key.size();
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), value);
  return error == std::errc() && value >= 0 ? std::optional(value) : std::nullopt;
}

// Groups come after the line "NodeGroups:", each with its Name and then its Health.
void read_prose(std::string_view text, AutoscalerStatus& status) {
  std::optional<AutoscalerGroup> group;
  bool in_groups = false;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("NodeGroups:")) in_groups = true;
    if (!in_groups) continue;
    if (line.starts_with("Name:")) {
      if (group) add(status, std::move(*group));
      group.emplace();
      group->name = trimmed(line.substr(5));
    } else if (group && line.starts_with("Health:")) {
      group->min = number_after(line, "minSize=");
      group->max = number_after(line, "maxSize=");
      group->target = number_after(line, "cloudProviderTarget=");
    }
  }
  if (group) add(status, std::move(*group));
}

}  // namespace

AutoscalerStatus read_autoscaler_status(const std::string& text) {
  AutoscalerStatus status;
  if (text.size() > kMaxAutoscalerStatus) return status;
  if (text.find("nodeGroups:") != std::string::npos) {
    const auto documents = yaml_to_json(text);
    if (documents && !documents->empty())
      if (const auto json = Json::parse(documents->front())) read_document(json->root(), status);
  } else {
    read_prose(text, status);
  }
  std::stable_sort(status.groups.begin(), status.groups.end(),
                   [](const AutoscalerGroup& a, const AutoscalerGroup& b) { return a.name < b.name; });
  return status;
}

std::optional<AutoscalerStatus> read_autoscaler_config_map(Value object) {
  const Value metadata = object.get("metadata");
  if (text_at(metadata, "name") != kAutoscalerConfigMap ||
      text_at(metadata, "namespace") != kAutoscalerNamespace)
    return std::nullopt;
  const std::string text = text_at(object.get("data"), "status");
  return text.empty() ? std::nullopt : std::optional(read_autoscaler_status(text));
}

}  // namespace tamp::wire
