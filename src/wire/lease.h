// coordination.k8s.io/v1 Lease: who holds it, and since when.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"
#include "core/time.h"

namespace tamp::wire {

struct Lease {
  std::string ns, name;
  std::string uid, resource_version;
  std::string holder;                 // "": free
  std::int64_t duration_seconds = 0;  // 0: not given
  std::optional<Time> acquired, renewed;
  std::int64_t transitions = 0;

  bool operator==(const Lease&) const = default;
};

Result<Lease> read_lease(const std::string& bytes);
std::string write_lease(const Lease& lease);

// Microseconds, always six digits: "2026-11-15T00:00:00.000000Z".
std::string format_micro_time(Time t);

}  // namespace tamp::wire
