// A run's status as JSON. What is empty is left out, so that a long journal stays small; the order of keys is fixed.
#include <fmt/format.h>

#include "core/json_writer.h"
#include "documents/run_document.h"

namespace tamp::documents {
namespace {

// To the nanosecond where there is a fraction: order within a second matters.
std::string text_of(Time t) {
  std::string text = format_rfc3339(t);
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t fraction = (t.ns % kSecond + kSecond) % kSecond;
  if (fraction != 0) text.insert(text.size() - 1, fmt::format(".{:09}", fraction));
  return text;
}

class Writer {
 public:
  std::string take() { return json_.take(); }

  void status(const run::Run& run) {
    json_.begin_object();
    word("phase", run::word(run.phase));
    word("reason", run.reason);
    word("message", run.message);
    if (run.phases.size() > 1) time("startedAt", run.phases[1].at);
    if (run::over(run.phase)) time("completedAt", run.entered());
    word("auditHead", run.audit_head);
    json_.key("victims").begin_array();
    for (const run::Victim& v : run.victims) json_.string(v.node);
    json_.end_array().key("survivors").begin_array();
    for (const run::Survivor& s : run.survivors) json_.string(s.node);
    json_.end_array().key("journal");
    journal(run);
    json_.end_object();
  }

 private:
  void word(std::string_view key, std::string_view value) {
    if (!value.empty()) json_.field(key, value);
  }
  void time(std::string_view key, const std::optional<Time>& value) {
    if (value) json_.field(key, text_of(*value));
  }
  void flag(std::string_view key, bool value) {
    if (value) json_.field(key, true);
  }
  void words(std::string_view key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    json_.key(key).begin_array();
    for (const std::string& v : values) json_.string(v);
    json_.end_array();
  }
  template <typename T, typename Write>
  void list(std::string_view key, const std::vector<T>& items, Write write) {
    if (items.empty()) return;
    json_.key(key).begin_array();
    for (const T& item : items) {
      json_.begin_object();
      write(item);
      json_.end_object();
    }
    json_.end_array();
  }

  void journal(const run::Run& run) {
    json_.begin_object().field("version", 1);
    word("planStructure", run.plan_structure);
    if (run.plan_expires != Time{}) time("planExpires", run.plan_expires);
    flag("requestsOnly", !run.pressure_guards);
    list("phases", run.phases, [&](const run::PhaseEntry& p) {
      word("phase", run::word(p.phase));
      time("at", p.at);
      word("reason", p.reason);
    });
    list("victims", run.victims, [&](const run::Victim& v) {
      word("node", v.node);
      word("uid", v.uid);
      word("claim", v.claim);
      word("claimUid", v.claim_uid);
      flag("wasCordoned", v.was_cordoned);
      flag("reaped", v.reaped);
    });
    list("survivors", run.survivors, [&](const run::Survivor& s) {
      word("node", s.node);
      word("uid", s.uid);
    });
    if (run.replacement) replacement(*run.replacement);
    word("claim", run.claim);
    word("claimUid", run.claim_uid);
    word("claimNode", run.claim_node);
    list("moves", run.moves, [&](const run::Departing& d) { move(d); });
    list("mutations", run.journal.entries, [&](const run::Mutation& m) { mutation(m); });
    guards(run.guards);
    outcome(run.outcome);
    time("lateWatchUntil", run.late_watch_until);
    json_.end_object();
  }
  void replacement(const proof::PlannedReplacement& r) {
    json_.key("replacement").begin_object();
    word("nodePool", r.pool);
    words("instanceTypes", r.types);
    words("capacityTypes", r.capacity_types);
    words("zones", r.zones);
    json_.field("priceNanos", r.price.nanos).end_object();
  }
  void move(const run::Departing& d) {
    word("namespace", d.ns);
    word("name", d.name);
    word("uid", d.uid);
    word("tier", tamp::word(d.tier));
    word("from", d.from);
    word("to", d.to);
    word("owner", d.owner_uid);
    flag("foreignOwner", d.foreign_owner);
    if (d.ready_before) json_.field("readyBefore", *d.ready_before);
    time("left", d.left);
    time("replaced", d.replaced);
  }
  void mutation(const run::Mutation& m) {
    json_.field("id", static_cast<std::int64_t>(m.id));
    word("kind", run::word(m.kind));
    word("namespace", m.ns);
    word("name", m.name);
    word("uid", m.uid);
    word("state", run::word(m.state));
    if (m.attempts != 0) json_.field("attempts", static_cast<std::int64_t>(m.attempts));
    time("intended", m.intended);
    time("tried", m.tried);
    time("settled", m.settled);
    time("notBefore", m.not_before);
    words("added", m.added);
    word("reason", m.reason);
    word("message", m.message);
  }
  void peak(std::string_view key, const run::PressurePeak& p) {
    json_.key(key).begin_object();
    json_.field("cpu", p.cpu).field("memory", p.memory).field("io", p.io).end_object();
  }
  void peak_if_any(std::string_view key, const run::PressurePeak& p) {
    if (!(p == run::PressurePeak{})) peak(key, p);
  }
  void guards(const run::GuardMemory& g) {
    json_.key("guards").begin_object();
    if (!g.baseline.empty()) {
      json_.key("baseline").begin_object();
      for (const auto& [node, p] : g.baseline) peak(node, p);
      json_.end_object();
    }
    peak_if_any("before", g.before);
    peak_if_any("during", g.during);
    peak_if_any("after", g.after);
    if (!(g.application == run::ApplicationPeaks{})) {
      json_.key("application").begin_object();
      const auto highest = [&](std::string_view key, const std::optional<double>& value) {
        if (value) json_.field(key, *value);
      };
      highest("before", g.application.before);
      highest("during", g.application.during);
      highest("after", g.application.after);
      json_.end_object();
    }
    time("lastEviction", g.last_eviction);
    time("unreadableSince", g.unreadable_since);
    time("distrustedSince", g.distrusted_since);
    if (!g.pending.empty()) {
      json_.key("pending").begin_object();
      for (const auto& [pod, since] : g.pending) json_.field(pod, text_of(since));
      json_.end_object();
    }
    word("tripped", g.tripped);
    word("lateTrip", g.late_trip);
    json_.end_object();
  }
  void outcome(const run::Outcome& o) {
    json_.key("outcome").begin_object();
    json_.field("nodesBefore", o.nodes_before).field("nodesAfter", o.nodes_after);
    json_.field("predictedSavingsNanos", o.predicted_savings.nanos);
    json_.field("achievedSavingsNanos", o.achieved_savings.nanos);
    json_.field("evictions", o.evictions).end_object();
  }

  JsonWriter json_;
};

}  // namespace

std::string write_status(const run::Run& run) {
  Writer writer;
  writer.status(run);
  return writer.take();
}

std::size_t status_bytes(const run::Run& run) { return write_status(run).size(); }

}  // namespace tamp::documents
