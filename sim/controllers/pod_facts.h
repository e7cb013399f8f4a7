// What controllers ask of a pod.
#pragma once

#include <optional>
#include <string_view>

#include "core/time.h"
#include "sim/api/object.h"

namespace tamp::world {

std::string_view phase_of(const api::Object& pod);
// Succeeded or Failed: its containers will not run again.
bool is_terminal(const api::Object& pod);
// Neither terminal nor being deleted: it counts as a replica.
bool is_active(const api::Object& pod);
bool is_ready(const api::Object& pod);
// When it last became ready; nothing if it is not.
std::optional<Time> ready_since(const api::Object& pod);
// Ready for at least that long.
bool is_available(const api::Object& pod, Duration min_ready, Time now);
std::optional<Time> time_of(const api::Tree& text);  // a metav1.Time; nothing if there is none
std::string_view node_of(const api::Object& pod);
std::string_view label_of(const api::Object& object, std::string_view key);
std::string_view annotation_of(const api::Object& object, std::string_view key);

// Would whoever counts replicas see the same in both? Kubelets write much that does not matter to owners.
bool same_to_owner(const api::Object& before, const api::Object& after);

}  // namespace tamp::world
