// The parts of canonical objects: symbols as texts, sets in the order of their texts.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/cluster.h"
#include "core/json_writer.h"

namespace tamp::proof {

// null where the symbol is invalid, so that "absent" and "" differ.
void write_symbol(JsonWriter& w, const Cluster& cluster, std::string_view key, Symbol symbol);
void write_symbols(JsonWriter& w, const Cluster& cluster, std::string_view key,
                   const std::vector<Symbol>& symbols);
void write_labels(JsonWriter& w, const Cluster& cluster, std::string_view key, const LabelSet& labels);
void write_resources(JsonWriter& w, const Cluster& cluster, std::string_view key,
                     const ResourceList& resources);
void write_selector(JsonWriter& w, const Cluster& cluster, std::string_view key,
                    const std::optional<LabelSelector>& selector);
void write_spec(JsonWriter& w, const Cluster& cluster, const PodSpec& spec);

}  // namespace tamp::proof
