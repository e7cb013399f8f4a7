// Namespaces, controllers of pods, budgets over them, and priorities.
#pragma once

#include "core/workload.h"
#include "wire/decoder.h"

namespace tamp::wire {

void decode_namespace(Decoder& d, Symbol name);
void decode_workload(Decoder& d, Symbol ns, Symbol name, WorkloadKind kind);
void decode_daemon_set(Decoder& d, Symbol ns, Symbol name);
void decode_disruption_budget(Decoder& d, Symbol ns, Symbol name);
void decode_priority_class(Decoder& d, Symbol name);

}  // namespace tamp::wire
