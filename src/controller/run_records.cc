#include "controller/run_records.h"

#include <utility>

#include "documents/timeline.h"

namespace tamp::controller {
namespace {

using run::Phase;

constexpr Duration kFlushEvery = Duration::seconds(20);

// How often a look is worth a line.
Duration rhythm(Phase phase) {
  return run::waits_for_reap(phase) || run::over(phase) ? Duration::seconds(30) : Duration::seconds(5);
}

}  // namespace

RunRecords::RunRecords(net::Loop& loop, net::Client& client, const Log& log, const std::string& ns,
                       std::string run, std::string uid)
    : loop_(loop),
      ns_(ns),
      run_(std::move(run)),
      uid_(std::move(uid)),
      audit_(loop, client, log, options("audit", 4),
             [this, &log](const std::string& lines) {
               heard_ = false;
               auto book = documents::AuditBook::open(lines);
               broken_ = !book.ok();
               if (broken_)
                 log.error("audit records were tampered with",
                           {{"run", run_}, {"error", book.error().message}});
               else
                 book_ = std::move(*book);
               stored_head_ = book_.head().hash;
             }),
      timeline_(loop, client, log, options("timeline", 2), [](const std::string&) {}),
      snapshots_(loop, client, log, options("snapshots", 2),
                 [this](const std::string& lines) { seen_moments_ = lines; }) {}

LedgerOptions RunRecords::options(std::string what, int most_parts) const {
  LedgerOptions out;
  out.ns = ns_;
  out.run = run_;
  out.uid = uid_;
  out.what = std::move(what);
  out.most_parts = most_parts;
  return out;
}

bool RunRecords::settled() const {
  const bool told = broken_ || audit_.full() || (heard_ && stored_head_ == book_.head().hash);
  return told && audit_.settled() && timeline_.settled() && snapshots_.settled();
}

void RunRecords::note(const run::Run& run, const Outlook& outlook, const proof::ConsolidationPlan* plan) {
  const Time now = loop_.now();
  if (audit_.open() && !broken_ && !audit_.full()) {
    if (audit_.settled()) stored_head_ = book_.head().hash;
    audit_.append(book_.update(run, now));
    audit_.flush();
    heard_ = true;
  }
  if (run.victims.empty()) return;  // refused at the desk: nothing was looked at
  // What it saw when it went from one phase to the next is always worth one.
  if (timeline_.open() &&
      (!last_look_ || run.phase != looked_phase_ || now - *last_look_ >= rhythm(run.phase))) {
    last_look_ = now;
    looked_phase_ = run.phase;
    timeline_.append(documents::timeline_line(run, outlook.observations, outlook.application, now));
  }
  const Cluster& cluster = outlook.reading->cluster;
  if (run.phase == Phase::Validating && before_.empty())
    before_ = documents::snapshot_line(run, cluster, "before", now);
  if (snapshots_.open()) {
    const auto once = [&](std::string_view moment, auto make) {
      if (seen_moments_.find("{\"moment\":\"" + std::string(moment) + "\"") != std::string::npos) return;
      const std::string line = make();
      seen_moments_ += line;
      snapshots_.append(line);
      snapshots_.flush();
    };
    if (plan != nullptr) once("plan", [&] { return documents::plan_line(*plan); });
    if (!before_.empty()) once("before", [&] { return before_; });
    if (run::over(run.phase))
      once("after", [&] { return documents::snapshot_line(run, cluster, "after", now); });
  }
  if (!last_flush_ || now - *last_flush_ >= kFlushEvery || run.phase != flushed_phase_) {
    last_flush_ = now;
    flushed_phase_ = run.phase;
    timeline_.flush();
  }
}

}  // namespace tamp::controller
