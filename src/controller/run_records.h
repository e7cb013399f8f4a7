// The records of one run: audit, timeline and snapshots, each a ledger. None of it decides anything; all of it is for whoever asks
// afterwards what was done, and what was seen.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "controller/ledger.h"
#include "controller/run_attendant.h"
#include "documents/audit.h"

namespace tamp::controller {

class RunRecords {
 public:
  RunRecords(net::Loop& loop, net::Client& client, const Log& log, const std::string& ns, std::string run,
             std::string uid);
  RunRecords(const RunRecords&) = delete;
  RunRecords& operator=(const RunRecords&) = delete;

  // The run as it is stored, and what it sees. `plan`: null if it is not known any more.
  void note(const run::Run& run, const Outlook& outlook, const proof::ConsolidationPlan* plan);
  // Of the newest audit record that is stored; empty: none.
  const std::string& audit_head() const { return stored_head_; }
  // Nothing more is to be written.
  bool settled() const;

 private:
  LedgerOptions options(std::string what, int most_parts) const;

  net::Loop& loop_;
  std::string ns_, run_, uid_;
  documents::AuditBook book_;
  bool broken_ = false;  // records that do not verify are not added to
  bool heard_ = false;   // the book was told of the run since it was opened
  std::string stored_head_;
  // The snapshot of Validating, which may be over before there is a ledger to write it in.
  std::string before_;
  std::string seen_moments_;  // the lines of snapshots
  std::optional<Time> last_look_, last_flush_;
  run::Phase looked_phase_ = run::Phase::Approved, flushed_phase_ = run::Phase::Approved;
  Ledger audit_, timeline_, snapshots_;
};

}  // namespace tamp::controller
