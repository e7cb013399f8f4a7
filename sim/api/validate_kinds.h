// The rules of each kind but pods. Metadata is judged by the caller. `old` is nullptr for a creation.
#pragma once

#include "sim/api/validate_place.h"

namespace tamp::world::api {

void check_deployment(Findings& found, const Tree& object, const Tree* old);
void check_replica_set(Findings& found, const Tree& object, const Tree* old);
void check_stateful_set(Findings& found, const Tree& object, const Tree* old);
void check_daemon_set(Findings& found, const Tree& object, const Tree* old);
void check_job(Findings& found, const Tree& object, const Tree* old);
void check_cron_job(Findings& found, const Tree& object, const Tree* old);
void check_controller_revision(Findings& found, const Tree& object, const Tree* old);
void check_disruption_budget(Findings& found, const Tree& object, const Tree* old);

void check_node(Findings& found, const Tree& object, const Tree* old);
void check_config_map(Findings& found, const Tree& object, const Tree* old);
void check_secret(Findings& found, const Tree& object, const Tree* old);
void check_endpoint_slice(Findings& found, const Tree& object, const Tree* old);
void check_claim(Findings& found, const Tree& object, const Tree* old);
void check_claim_status(Findings& found, const Tree& status);
void check_claim_spec(Findings& found, const Tree& spec, const Place& place);
void check_priority_class(Findings& found, const Tree& object, const Tree* old);
void check_lease(Findings& found, const Tree& object, const Tree* old);
void check_role(Findings& found, const Tree& object, const Tree* old, bool namespaced);
void check_role_binding(Findings& found, const Tree& object, const Tree* old, bool namespaced);
void check_event(Findings& found, const Tree& object, const Tree* old);
void check_definition(Findings& found, const Tree& object, const Tree* old);

}  // namespace tamp::world::api
