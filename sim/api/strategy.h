// What each kind does to itself when it is created or changed: parts that a caller may not write are dropped or kept, the
// status begins, the generation counts, selectors and labels that the server makes are added.
#pragma once

#include <string_view>

#include "core/time.h"
#include "sim/api/object.h"

namespace tamp::world::api {

// REQUIRES: metadata.uid, name, namespace and creationTimestamp are set. Sets metadata.generation where the kind counts it.
void prepare_for_create(ResourceId resource, Tree& object, Time now);

// `subresource` is empty for the object itself, otherwise "status", "scale" or "finalize". REQUIRES: the
// server's own metadata (uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds,
// managedFields) is already as it is to be stored. Sets metadata.generation.
void prepare_for_update(ResourceId resource, const Tree& old, Tree& updated, std::string_view subresource,
                        Time now);

// A DaemonSet's annotation of its template's generation stands for a field, so it is there as soon as it is read: whoever
// sends it without one has set it to 0.
void name_template_generation(Tree& daemon_set);

// May a PUT to a name that is not there create it? May one without a resourceVersion overwrite what is there (or is it refused
// with 422 at metadata.resourceVersion)?
bool creates_on_update(ResourceId resource);
bool updates_unconditionally(ResourceId resource);

// "Guaranteed", "Burstable" or "BestEffort".
std::string_view quality_of_service(const Tree& pod);

}  // namespace tamp::world::api
