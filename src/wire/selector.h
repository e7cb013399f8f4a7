// Label selectors, node selectors and taints of any object.
#pragma once

#include <optional>
#include <vector>

#include "core/labels.h"
#include "core/taint.h"
#include "wire/decoder.h"

namespace tamp::wire {

// metav1.LabelSelector; nothing when absent or null.
std::optional<LabelSelector> decode_label_selector(Decoder& d, Value parent, std::string_view key);

// The items of corev1.NodeSelector.nodeSelectorTerms.
std::vector<NodeSelectorTerm> decode_node_selector_terms(Decoder& d, Value parent, std::string_view key);
NodeSelectorTerm decode_node_selector_term(Decoder& d, Value term);

// {key, operator, values} with any of the eight operators. Checks only the operator and the types.
SelectorRequirement decode_requirement(Decoder& d, Value requirement);

std::vector<Taint> decode_taints(Decoder& d, Value parent, std::string_view key);
std::vector<Toleration> decode_tolerations(Decoder& d, Value parent, std::string_view key);

}  // namespace tamp::wire
