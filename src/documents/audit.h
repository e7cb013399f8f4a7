// Audit records of a run: one line of JSON for the approval, each phase and each change of the cluster, append-only. Every line carries the
// hash of the line before it and its own, so that nobody can change, drop or insert one unseen.
//
//   {"seq":3,"at":"…","run":"run-1","what":"mutation","kind":"Cordon","object":"node-2","state":"Done",…,"previous":"…","hash":"…"}
//
// `hash` is the SHA-256 of the line's own text without that member; `previous` of the first line is empty. The run's status keeps the hash of
// the newest line (auditHead): cutting lines off the end shows, too.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "run/run.h"

namespace tamp::documents {

// What a chain stands at.
struct AuditHead {
  std::uint64_t records = 0;
  std::string hash;  // empty: no record yet
  bool operator==(const AuditHead&) const = default;
};

// Checks every line. An error names the line and what is wrong with it.
Result<AuditHead> verify_audit(std::string_view lines);
// Does a line with this hash exist in them? An empty hash is always found.
bool audit_contains(std::string_view lines, std::string_view hash);

// Keeps the records of one run: tells which are missing for the run as it is now.
class AuditBook {
 public:
  // Goes on where earlier lines end. REQUIRES: they verify.
  static Result<AuditBook> open(std::string_view lines);
  AuditBook() = default;

  // Lines for everything in the run that has no record yet, each with its newline; empty if there is nothing new.
  std::string update(const run::Run& run, Time now);
  const AuditHead& head() const { return head_; }

 private:
  std::string append(std::string key, std::string members, Time at, std::string_view run);

  AuditHead head_;
  std::set<std::string> recorded_;  // keys of what has a record
};

}  // namespace tamp::documents
