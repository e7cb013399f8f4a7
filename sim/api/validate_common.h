// Rules that several kinds share.
#pragma once

#include "sim/api/validate_place.h"

namespace tamp::world::api {

void check_not_negative(Findings& found, const Tree& value, const Place& place);
void check_positive(Findings& found, const Tree& value, const Place& place);
// A number that is not negative, or a percentage.
void check_count_or_percent(Findings& found, const Tree& value, const Place& place);
// Not above 100%, if it is a percentage.
void check_at_most_all(Findings& found, const Tree& value, const Place& place);
void check_one_of(Findings& found, const Tree& value, const Place& place,
                  std::initializer_list<std::string_view> known);
void check_port_number(Findings& found, const Tree& port, const Place& at);
// Of pods and priority classes; null is none.
void check_preemption_policy(Findings& found, const Tree& policy, const Place& place);
void check_same(Findings& found, const Tree& old, const Tree& updated, const Place& place);

// metav1.LabelSelector; null is none.
void check_selector(Findings& found, const Tree& selector, const Place& place);
void check_labels(Findings& found, const Tree& labels, const Place& place);
void check_node_selector_term(Findings& found, const Tree& term, const Place& place);
// corev1.NodeSelector
void check_node_selector(Findings& found, const Tree& selector, const Place& place);
void check_tolerations(Findings& found, const Tree& tolerations, const Place& place);
// Amounts: names and signs. The syntax is judged when they are decoded.
void check_resources(Findings& found, const Tree& resources, const Place& place);

void check_pod_spec(Findings& found, const Tree& spec, const Tree& metadata, const Place& place);
// Of a workload: labels, annotations and spec.
void check_template_metadata(Findings& found, const Tree& metadata, const Place& place);
void check_template(Findings& found, const Tree& pod_template, const Place& place);

// Not negative, and of what is counted whole.
void check_amount(Findings& found, std::string_view name, const Tree& amount, const Place& at);
// Of a resource that containers may ask for.
void check_container_resource(Findings& found, std::string_view name, const Place& at);

}  // namespace tamp::world::api
