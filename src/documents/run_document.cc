// A run from its object. Strict where the journal is concerned: what cannot be read must not be guessed, since a change that
// is not known is a change that is not taken back.
#include "documents/run_document.h"

#include <fmt/format.h>

#include "wire/tree.h"

namespace tamp::documents {
namespace {

using wire::Tree;

class Reader {
 public:
  // The first failure counts.
  void fail(std::string where, std::string_view what) {
    if (!error_) error_ = Error{fmt::format("{}: {}", where, what)};
  }
  const std::optional<Error>& error() const { return error_; }

  std::string text(const Tree& parent, const char* key) {
    const Tree& value = parent[key];
    if (!value.is_null() && !value.is_string()) fail(key, "must be a string");
    return std::string(value.string());
  }
  std::optional<Time> time(const Tree& parent, std::string_view key) {
    const Tree& value = parent[key];
    if (value.is_null()) return std::nullopt;
    const auto parsed = parse_rfc3339(value.string());
    if (!parsed) {
      fail(std::string(key), "must be a time");
      return std::nullopt;
    }
    return *parsed;
  }
  Time needed_time(const Tree& parent, const char* key) {
    const auto value = time(parent, key);
    if (!value) fail(key, "is missing");
    return value.value_or(Time{});
  }
  bool flag(const Tree& parent, const char* key) {
    const Tree& value = parent[key];
    if (!value.is_null() && value.kind() != Tree::Kind::Boolean) fail(key, "must be true or false");
    return value.boolean();
  }
  std::int64_t integer(const Tree& parent, const char* key) {
    const Tree& value = parent[key];
    if (!value.is_null() && value.kind() != Tree::Kind::Integer) fail(key, "must be a whole number");
    return value.integer();
  }
  std::vector<std::string> words(const Tree& parent, const char* key) {
    std::vector<std::string> out;
    for (const Tree& element : list(parent, key)) {
      if (!element.is_string()) fail(key, "must be a list of strings");
      out.emplace_back(element.string());
    }
    return out;
  }
  const Tree::Array& list(const Tree& parent, const char* key) {
    const Tree& value = parent[key];
    if (!value.is_null() && !value.is_array()) fail(key, "must be a list");
    return value.elements();
  }
  const Tree& object(const Tree& parent, const char* key) {
    const Tree& value = parent[key];
    if (!value.is_null() && !value.is_object()) fail(key, "must be an object");
    return value;
  }
  template <typename Parse>
  auto word(const Tree& parent, const char* key, Parse parse) {
    const auto parsed = parse(parent[key].string());
    if (!parsed) fail(key, "is a word that is not known");
    using T = typename decltype(parsed)::value_type;
    return parsed.value_or(T{});
  }

  void journal(const Tree& journal, run::Run& run) {
    if (integer(journal, "version") != 1) fail("version", "is not known");
    run.plan_structure = text(journal, "planStructure");
    run.plan_expires = time(journal, "planExpires").value_or(Time{});
    run.pressure_guards = !flag(journal, "requestsOnly");
    for (const Tree& p : list(journal, "phases"))
      run.phases.push_back({word(p, "phase", run::phase_of), needed_time(p, "at"), text(p, "reason")});
    for (const Tree& v : list(journal, "victims"))
      run.victims.push_back({text(v, "node"), text(v, "uid"), text(v, "claim"), text(v, "claimUid"),
                             flag(v, "wasCordoned"), flag(v, "reaped")});
    for (const Tree& s : list(journal, "survivors"))
      run.survivors.push_back({text(s, "node"), text(s, "uid")});
    if (const Tree& r = object(journal, "replacement"); r.is_object())
      run.replacement =
          proof::PlannedReplacement{text(r, "nodePool"), words(r, "instanceTypes"), words(r, "capacityTypes"),
                                    words(r, "zones"), Money{integer(r, "priceNanos")}};
    run.claim = text(journal, "claim");
    run.claim_uid = text(journal, "claimUid");
    run.claim_node = text(journal, "claimNode");
    for (const Tree& m : list(journal, "moves")) run.moves.push_back(move(m));
    for (const Tree& m : list(journal, "mutations")) {
      run.journal.entries.push_back(mutation(m));
      const auto& entries = run.journal.entries;
      if (entries.size() > 1 && entries[entries.size() - 2].id >= entries.back().id)
        fail("mutations", "must be in order of their ids");
    }
    guards(object(journal, "guards"), run.guards);
    const Tree& o = object(journal, "outcome");
    run.outcome = {integer(o, "nodesBefore"), integer(o, "nodesAfter"),
                   Money{integer(o, "predictedSavingsNanos")}, Money{integer(o, "achievedSavingsNanos")},
                   integer(o, "evictions")};
    run.late_watch_until = time(journal, "lateWatchUntil");
  }

 private:
  run::Departing move(const Tree& m) {
    run::Departing d;
    d.ns = text(m, "namespace");
    d.name = text(m, "name");
    d.uid = text(m, "uid");
    d.tier = word(m, "tier", tier_from);
    d.from = text(m, "from");
    d.to = text(m, "to");
    d.owner_uid = text(m, "owner");
    d.foreign_owner = flag(m, "foreignOwner");
    if (m.has("readyBefore")) d.ready_before = integer(m, "readyBefore");
    d.left = time(m, "left");
    d.replaced = time(m, "replaced");
    return d;
  }
  std::uint32_t small(const Tree& parent, const char* key) {
    const std::int64_t value = integer(parent, key);
    if (value < 0 || value > 1'000'000'000) fail(key, "is out of range");
    return static_cast<std::uint32_t>(value);
  }
  run::Mutation mutation(const Tree& t) {
    run::Mutation m;
    m.id = small(t, "id");
    if (m.id == 0) fail("id", "must not be 0");
    m.kind = word(t, "kind", run::mutation_kind_of);
    m.ns = text(t, "namespace");
    m.name = text(t, "name");
    m.uid = text(t, "uid");
    m.state = word(t, "state", run::mutation_state_of);
    m.attempts = small(t, "attempts");
    m.intended = needed_time(t, "intended");
    m.tried = time(t, "tried");
    m.settled = time(t, "settled");
    m.not_before = time(t, "notBefore");
    m.added = words(t, "added");
    m.reason = text(t, "reason");
    m.message = text(t, "message");
    return m;
  }
  run::PressurePeak peak(const Tree& p) {
    return {p["cpu"].number(), p["memory"].number(), p["io"].number()};
  }
  void guards(const Tree& g, run::GuardMemory& memory) {
    for (const Tree::Member& m : object(g, "baseline").members()) memory.baseline[m.key] = peak(m.value);
    memory.before = peak(object(g, "before"));
    memory.during = peak(object(g, "during"));
    memory.after = peak(object(g, "after"));
    const Tree& application = object(g, "application");
    const auto highest = [&](std::string_view key) {
      return application.has(key) ? std::optional(application[key].number()) : std::nullopt;
    };
    memory.application = {highest("before"), highest("during"), highest("after")};
    memory.last_eviction = time(g, "lastEviction");
    memory.unreadable_since = time(g, "unreadableSince");
    memory.distrusted_since = time(g, "distrustedSince");
    const Tree& pending = object(g, "pending");
    for (const Tree::Member& m : pending.members())
      if (const auto since = time(pending, m.key)) memory.pending[m.key] = *since;
    memory.tripped = text(g, "tripped");
    memory.late_trip = text(g, "lateTrip");
  }

  std::optional<Error> error_;
};

}  // namespace

Result<run::Run> read_run(const std::string& object) {
  TAMP_TRY(const Tree tree, wire::read_tree(object));
  run::Run run;
  Reader reader;
  const Tree& metadata = tree["metadata"];
  run.name = metadata["name"].string();
  run.uid = metadata["uid"].string();
  if (run.name.empty()) return Error{"metadata.name: is missing"};
  run.approved_at = reader.time(metadata, "creationTimestamp").value_or(Time{});
  run.abort_requested = metadata["annotations"]["temper.codes/abort"].string() == "true" ||
                        metadata["deletionTimestamp"].is_string();
  const Tree& spec = tree["spec"];
  run.plan_hash = reader.text(spec, "planHash");
  run.approved_by = reader.text(spec, "approvedBy");
  run.source = reader.text(spec, "source");

  const Tree& status = tree["status"];
  const Tree& journal = status["journal"];
  if (!status["phase"].is_null()) run.phase = reader.word(status, "phase", run::phase_of);
  run.reason = reader.text(status, "reason");
  run.message = reader.text(status, "message");
  run.audit_head = reader.text(status, "auditHead");
  if (journal.is_object())
    reader.journal(journal, run);
  else if (!journal.is_null() || run.phase != run::Phase::Approved)
    reader.fail("journal", "is missing");
  if (!run.phases.empty() && run.phases.back().phase != run.phase)
    reader.fail("phase", "is not the newest of the journal");
  if (run.phases.empty() && run.phase != run::Phase::Approved) reader.fail("phases", "are missing");
  if (reader.error()) return Error{*reader.error()}.with("ConsolidationRun " + run.name);
  return run;
}

}  // namespace tamp::documents
