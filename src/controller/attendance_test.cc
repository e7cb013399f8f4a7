// One run and its attendant, on an API server of a few objects: what is stored before what is done, who is
// believed, and when it comes to rest.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/run_attendant.h"
#include "documents/run_document.h"
#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"
#include "situation/resolve_settings.h"
#include "wire/snapshot.h"

namespace tamp::controller {
namespace {

using run::MutationKind;
using run::MutationState;
using run::Phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wire::Tree;

constexpr const char* kRunPath = "/apis/temper.codes/v1alpha1/consolidationruns/run-1";

Tree parse(const std::string& json) {
  auto tree = wire::read_tree(json);
  EXPECT_TRUE(tree) << json;
  return std::move(*tree);
}

// Keeps objects by their paths. A patch is applied if it is of the version that is there.
class SmallServer {
 public:
  std::map<std::string, Tree> objects;
  std::vector<std::string> writes;  // "PATCH path" and "EVICT name", in order

  std::optional<net::Exchange> operator()(const net::Request& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (path.ends_with("/eviction")) {
      const std::string pod = path.substr(0, path.size() - std::string("/eviction").size());
      if (!objects.contains(pod)) return net::refuse(404, "NotFound");
      writes.push_back("EVICT " + pod.substr(pod.rfind('/') + 1));
      objects[pod].ensure("metadata").set("deletionTimestamp", "2026-11-15T00:00:30Z");
      return net::answer(201);
    }
    const bool status = path.ends_with("/status");
    const std::string of = status ? path.substr(0, path.size() - std::string("/status").size()) : path;
    const auto found = objects.find(of);
    if (found == objects.end()) return net::refuse(404, "NotFound");
    if (request.method == net::Method::Get) return net::answer(200, wire::to_json(found->second));
    EXPECT_EQ(request.method, net::Method::Patch);
    Tree after = found->second;
    const Tree operations = parse(request.body);
    for (const Tree& operation : operations.elements())
      if (!apply(after, operation)) return net::refuse(409, "Conflict");
    after.ensure("metadata").set("resourceVersion", std::to_string(++version_));
    found->second = std::move(after);
    writes.push_back("PATCH " + path.substr(path.rfind('/', path.size() - (status ? 8 : 1)) + 1));
    return net::answer(200, wire::to_json(found->second));
  }
  std::int64_t version() const { return version_; }
  void bump(const std::string& path) {
    objects[path].ensure("metadata").set("resourceVersion", std::to_string(++version_));
  }

 private:
  static std::string key_of(std::string_view token) {
    std::string out;
    for (std::size_t i = 0; i < token.size(); ++i)
      out += token[i] == '~' ? (token[++i] == '0' ? '~' : '/') : token[i];
    return out;
  }
  static bool apply(Tree& root, const Tree& operation) {
    const std::string path(operation["path"].string());
    Tree* at = &root;
    std::size_t from = 1;
    for (std::size_t slash = path.find('/', from); slash != std::string::npos; slash = path.find('/', from)) {
      at = at->find(key_of(std::string_view(path).substr(from, slash - from)));
      if (at == nullptr) return false;
      from = slash + 1;
    }
    const std::string key = key_of(std::string_view(path).substr(from));
    if (operation["op"].string() == "test") return (*at)[key] == operation["value"];
    if (operation["op"].string() == "remove") return at->erase(key);
    at->set(key, operation["value"]);
    return true;
  }

  std::int64_t version_ = 100;
};

// Node b goes, with pod web on it; node a stays. Whatever the test does not say is as a calm cluster has it.
struct Attendance : testing::Test {
  net::FakeLoop loop;
  SmallServer server;
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  std::string logged;
  Log log{LogLevel::Debug, LogFormat::Text, [this] { return loop.now(); },
          [this](std::string_view line) { logged += line; }};
  RunSurroundings surroundings;
  std::optional<RunAttendant> attendant;

  std::string mode = "Act";
  std::string head;  // of the newest stored record
  bool records_kept = true;
  bool cluster_known = true;
  std::optional<std::string> nodes_seen;  // the newest, unless it is said
  std::optional<std::int64_t> evictions_left;
  std::optional<run::Desk> desk;
  std::vector<std::string> told;  // "Protecting", "Cordon b Done"

  Attendance() {
    transport.on_send = [this](const net::Request& request) { return server(request); };
    for (const char* name : {"a", "b"})
      server.objects[fmt::format("/api/v1/nodes/{}", name)] = parse(fmt::format(
          R"({{"apiVersion":"v1","kind":"Node",
"metadata":{{"name":"{0}","uid":"uid-{0}","resourceVersion":"1",
"labels":{{"eks.amazonaws.com/nodegroup":"g"}}}},"spec":{{}},
"status":{{"capacity":{{"cpu":"4","memory":"8Gi","pods":"110"}},
"allocatable":{{"cpu":"4","memory":"8Gi","pods":"110"}},"conditions":[{{"type":"Ready","status":"True",
"lastTransitionTime":"2026-01-01T00:00:00Z"}}]}}}})",
          name));
    server.objects["/api/v1/namespaces/shop/pods/web"] = parse(
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"uid-web",
"resourceVersion":"1"},"spec":{"nodeName":"b","terminationGracePeriodSeconds":30,"containers":[{"name":"c"}]},
"status":{"phase":"Running"}})");
    surroundings.outlook = [this] { return outlook(); };
    surroundings.nodes_seen = [this] { return nodes_seen.value_or(std::to_string(server.version())); };
    surroundings.desk = [this](const run::Run&) { return desk; };
    surroundings.evictions_left = [this] { return evictions_left; };
    surroundings.plan = [](const std::string&) { return nullptr; };
    surroundings.stepped = [this](const run::Run&, const run::Run& after) {
      told.emplace_back(run::word(after.phase));
    };
    surroundings.concluded = [this](const run::Run&, const run::Mutation& m) {
      told.push_back(fmt::format("{} {} {}", run::word(m.kind), m.name, run::word(m.state)));
    };
    surroundings.recorded = [this](const run::Run&, const Outlook&) { return head; };
    surroundings.records_kept = [this](const std::string&) { return records_kept; };
  }

  std::shared_ptr<const Outlook> outlook() {
    if (!cluster_known) return nullptr;
    wire::Inputs inputs;
    inputs.objects.push_back(
        {"policy",
         R"({"apiVersion":"temper.codes/v1alpha1","kind":"TemperPolicy","metadata":{"name":"default"},)" +
             fmt::format(R"("spec":{{"mode":"{}"}}}})", mode)});
    for (const auto& [path, object] : server.objects)
      if (path.starts_with("/api/v1/")) inputs.objects.push_back({path, wire::to_json(object)});
    auto reading = wire::read_snapshot(inputs);
    EXPECT_TRUE(reading) << reading.error().message;
    auto out = std::make_shared<Outlook>();
    out->reading = std::make_shared<const wire::Reading>(std::move(*reading));
    out->settings = situation::resolve_settings(out->reading->cluster, {});
    out->limits.settle = Duration::seconds(10);
    return out;
  }

  run::Run run_in(Phase phase) {
    run::Run run;
    run.name = "run-1";
    run.uid = "uid-run";
    run.plan_hash = "hash";
    run.approved_by = "ada";
    run.approved_at = loop.now();
    run.phase = phase;
    if (phase == Phase::Approved) return run;
    run.phases = {{phase, loop.now(), ""}};
    run.plan_expires = loop.now() + Duration::minutes(30);
    run.pressure_guards = false;
    run.victims = {{"b", "uid-b", "", "", false, false}};
    run.survivors = {{"a", "uid-a"}};
    run::Departing web;
    web.ns = "shop";
    web.name = "web";
    web.uid = "uid-web";
    web.from = "b";
    run.moves = {web};
    run.outcome.nodes_before = run.outcome.nodes_after = 2;
    return run;
  }
  void store(const run::Run& run, bool finalizer = true) {
    Tree object = parse(fmt::format(
        R"({{"apiVersion":"temper.codes/v1alpha1","kind":"ConsolidationRun",
"metadata":{{"name":"run-1","uid":"uid-run","resourceVersion":"50","creationTimestamp":"{}"}},
"spec":{{"planHash":"hash","approvedBy":"ada"}}}})",
        format_rfc3339(run.approved_at)));
    if (run.phase != Phase::Approved) object.set("status", parse(documents::write_status(run)));
    if (finalizer) object.ensure({"metadata", "finalizers"}).append(std::string(kRollbackFinalizer));
    server.objects[kRunPath] = std::move(object);
  }
  void attend(const run::Run& run, bool finalizer = true) {
    store(run, finalizer);
    attendant.emplace(loop, client, log, surroundings, "run-1");
  }
  void attend(Phase phase) { attend(run_in(phase)); }
  // Looks every second, as the controller does.
  void live(Duration time) {
    for (std::int64_t i = 0; i < time.ns / 1'000'000'000; ++i) {
      loop.advance(Duration::seconds(1));
      attendant->tick();
      loop.settle();
    }
  }
  run::Run stored() { return read_shelved_run(server.objects.at(kRunPath)).run; }
  ShelvedRun shelved() { return read_shelved_run(server.objects.at(kRunPath)); }
  bool has_finalizer() { return server.objects.at(kRunPath).at({"metadata", "finalizers"}).size() > 0; }
  std::ptrdiff_t place(const std::string& write) {
    return std::find(server.writes.begin(), server.writes.end(), write) - server.writes.begin();
  }
};

TEST_F(Attendance, NothingIsDoneBeforeTheRunWasRead) {
  transport.on_send = nullptr;  // requests wait
  store(run_in(Phase::Protecting));
  attendant.emplace(loop, client, log, surroundings, "run-1");
  EXPECT_EQ(attendant->run(), nullptr);
  live(Duration::seconds(5));
  EXPECT_EQ(transport.sent.size(), 1U) << "its own request, once";
  EXPECT_FALSE(attendant->at_rest());
  transport.answer_held(net::refuse(403, "Forbidden"));
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(transport.sent.size(), 1U);
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(transport.sent.size(), 2U) << "two seconds later it is asked again";
  transport.answer_held(net::answer(200, wire::to_json(server.objects.at(kRunPath))));
  loop.settle();
  ASSERT_NE(attendant->run(), nullptr);
}

TEST_F(Attendance, ARunThatCannotBeReadIsLeftAlone) {
  store(run_in(Phase::Protecting));
  server.objects[kRunPath].ensure("status").set("journal", "none");
  attendant.emplace(loop, client, log, surroundings, "run-1");
  live(Duration::seconds(59));
  EXPECT_TRUE(server.writes.empty());
  EXPECT_EQ(attendant->run(), nullptr);
  EXPECT_THAT(logged, HasSubstr("run cannot be read and is left alone"));
  store(run_in(Phase::Protecting));
  live(Duration::seconds(3));
  EXPECT_NE(attendant->run(), nullptr) << "somebody may have mended it";
}

TEST_F(Attendance, EveryStepIsStoredBeforeItIsDone) {
  attend(Phase::Protecting);
  live(Duration::seconds(20));
  EXPECT_EQ(server.writes.at(0), "PATCH run-1/status");
  EXPECT_LT(place("PATCH run-1/status"), place("PATCH a"));
  EXPECT_LT(place("PATCH a"), place("PATCH b"));
  EXPECT_LT(place("PATCH b"), place("EVICT web"));
  EXPECT_LT(place("EVICT web"), std::ssize(server.writes));
  // Between two changes of the cluster the run was stored, with what came of the first one.
  for (std::size_t i = 1; i < server.writes.size(); ++i)
    if (server.writes[i] != "PATCH run-1/status") {
      EXPECT_EQ(server.writes[i - 1], "PATCH run-1/status") << i;
    }
  EXPECT_THAT(told, ::testing::Contains("Protect a Done"));
  EXPECT_THAT(told, ::testing::Contains("Evict web Done"));
  EXPECT_EQ(stored(), *attendant->run());
}

TEST_F(Attendance, WithoutAClusterNothingIsDone) {
  cluster_known = false;
  attend(Phase::Protecting);
  live(Duration::seconds(20));
  EXPECT_TRUE(server.writes.empty());
  cluster_known = true;
  live(Duration::seconds(2));
  EXPECT_FALSE(server.writes.empty());
}

// ---- whom it hears

TEST_F(Attendance, AnAbortIsHeardWhenSomebodyAsksForIt) {
  evictions_left = 0;  // so that the drain stands still
  attend(Phase::Draining);
  live(Duration::seconds(3));
  attendant->hear(shelved());
  live(Duration::seconds(3));
  EXPECT_EQ(stored().phase, Phase::Draining) << "nobody asked for anything";
  EXPECT_FALSE(attendant->run()->abort_requested);
  ShelvedRun broken = shelved();
  broken.error = "status.journal: must be an object";
  broken.run.abort_requested = true;
  attendant->hear(broken);
  EXPECT_FALSE(attendant->run()->abort_requested) << "what cannot be read says nothing";
  server.objects[kRunPath].ensure({"metadata", "annotations"}).set("temper.codes/abort", "true");
  attendant->hear(shelved());
  live(Duration::seconds(3));
  EXPECT_EQ(stored().reason, "AbortRequested");
  EXPECT_THAT(logged, HasSubstr("abort requested"));
}

TEST_F(Attendance, AnAbortThatIsHeardTwiceIsOne) {
  evictions_left = 0;
  attend(Phase::Draining);
  live(Duration::seconds(3));
  server.objects[kRunPath].ensure({"metadata", "annotations"}).set("temper.codes/abort", "true");
  attendant->hear(shelved());
  attendant->hear(shelved());
  live(Duration::seconds(3));
  const std::size_t first = logged.find("abort requested");
  EXPECT_EQ(logged.find("abort requested", first + 1), std::string::npos);
}

TEST_F(Attendance, AnAbortMayBeReadTogetherWithTheRun) {
  store(run_in(Phase::Draining));
  server.objects[kRunPath].ensure({"metadata", "annotations"}).set("temper.codes/abort", "true");
  attendant.emplace(loop, client, log, surroundings, "run-1");
  live(Duration::seconds(3));
  EXPECT_EQ(stored().reason, "AbortRequested");
  EXPECT_TRUE(std::none_of(server.writes.begin(), server.writes.end(),
                           [](const std::string& w) { return w.starts_with("EVICT"); }));
}

TEST_F(Attendance, ARunThatSomebodyElseWroteIsReadAnew) {
  evictions_left = 0;
  attend(Phase::Draining);
  live(Duration::seconds(3));
  // Another leader went on with it meanwhile.
  run::Run theirs = run_in(Phase::Settling);
  theirs.message = "theirs";
  store(theirs);
  server.bump(kRunPath);
  evictions_left = 5;
  live(Duration::seconds(3));
  EXPECT_EQ(attendant->run()->phase, Phase::Settling);
  EXPECT_THAT(logged, HasSubstr("run changed meanwhile"));
}

// ---- evictions

TEST_F(Attendance, AnEvictionThatWasJustTriedByOthersRests) {
  run::Run run = run_in(Phase::Draining);
  run.journal.intend(MutationKind::Cordon, "", "b", "uid-b", loop.now()).state = MutationState::Done;
  run::Mutation& m = run.journal.intend(MutationKind::Evict, "shop", "web", "uid-web", loop.now());
  m.state = MutationState::Blocked;
  m.reason = "Budget";
  run.moves[0].ready_before = 0;
  server.objects["/api/v1/nodes/b"].ensure("spec").set("unschedulable", true);
  attend(run);
  live(Duration::seconds(4));
  EXPECT_EQ(place("EVICT web"), std::ssize(server.writes))
      << "whoever led before may have tried it a moment ago";
  live(Duration::seconds(4));
  EXPECT_LT(place("EVICT web"), std::ssize(server.writes));
}

TEST_F(Attendance, NoStepTrustsWatchesThatHaveNotShownOurLastWrite) {
  nodes_seen = "1";
  attend(Phase::Protecting);
  live(Duration::seconds(20));
  EXPECT_LT(place("PATCH a"), std::ssize(server.writes));
  EXPECT_EQ(stored().phase, Phase::Protecting) << "the watch of nodes still shows a without its mark";
  EXPECT_EQ(place("EVICT web"), std::ssize(server.writes));
  nodes_seen.reset();
  live(Duration::seconds(20));
  EXPECT_LT(place("EVICT web"), std::ssize(server.writes));
}

// ---- the finalizer, and rest

TEST_F(Attendance, AnApprovalGetsItsFinalizerAndThenGoesOn) {
  attend(run_in(Phase::Approved), false);
  live(Duration::seconds(3));
  EXPECT_TRUE(server.writes.empty()) << "the desk has no answer yet";
  desk.emplace();  // no plan is published
  records_kept = false;
  live(Duration::seconds(3));
  EXPECT_THAT(server.writes, ElementsAre("PATCH run-1", "PATCH run-1/status"));
  EXPECT_TRUE(has_finalizer());
  EXPECT_EQ(stored().reason, "StalePlan");
}

TEST_F(Attendance, TheFinalizerGoesWhenTheRecordsAreKept) {
  records_kept = false;
  attend(Phase::RolledBack);
  live(Duration::seconds(60));
  EXPECT_TRUE(has_finalizer());
  EXPECT_FALSE(attendant->at_rest());
  records_kept = true;
  live(Duration::seconds(2));
  EXPECT_FALSE(has_finalizer());
  EXPECT_TRUE(attendant->at_rest());
}

TEST_F(Attendance, RecordsThatNobodyCanWriteDoNotKeepARunForEver) {
  records_kept = false;
  attend(Phase::RolledBack);
  live(Duration::seconds(119));
  EXPECT_TRUE(has_finalizer());
  live(Duration::seconds(3));
  EXPECT_FALSE(has_finalizer());
}

TEST_F(Attendance, AFinalizerThatCouldNotBeWrittenIsTriedAgain) {
  attend(Phase::RolledBack);
  transport.on_send = [this](const net::Request& request) -> std::optional<net::Exchange> {
    if (request.method == net::Method::Patch) return net::refuse(500, "InternalError");
    return server(request);
  };
  live(Duration::seconds(5));
  EXPECT_TRUE(has_finalizer());
  transport.on_send = [this](const net::Request& request) { return server(request); };
  live(Duration::seconds(5));
  EXPECT_FALSE(has_finalizer());
  EXPECT_TRUE(attendant->at_rest());
}

// None can be added to what is being deleted; the run is rolled back all the same.
TEST_F(Attendance, ARunThatIsBeingDeletedGetsNoFinalizer) {
  run::Run run = run_in(Phase::Approved);
  store(run, false);
  server.objects[kRunPath].ensure("metadata").set("deletionTimestamp", "2026-11-15T00:00:00Z");
  desk.emplace();
  attendant.emplace(loop, client, log, surroundings, "run-1");
  live(Duration::seconds(3));
  EXPECT_FALSE(has_finalizer());
  EXPECT_EQ(stored().reason, "AbortRequested");
}

TEST_F(Attendance, TheHashOfTheRecordsIsStoredOnceForEachPhase) {
  evictions_left = 0;
  attend(Phase::Draining);
  head = "first";
  live(Duration::seconds(3));
  EXPECT_EQ(stored().audit_head, "first");
  head = "second";
  const std::size_t writes = server.writes.size();
  live(Duration::seconds(3));
  EXPECT_EQ(stored().audit_head, "first") << "it goes along with the next phase";
  EXPECT_EQ(server.writes.size(), writes);
  head = "";
  live(Duration::seconds(3));
  EXPECT_EQ(stored().audit_head, "first");
}

TEST_F(Attendance, AStatusThatWasNotStoredIsTriedAgain) {
  int refused = 0;
  transport.on_send = [&](const net::Request& request) -> std::optional<net::Exchange> {
    if (request.target.find("/status") != std::string::npos && refused++ < 2) return net::no_answer();
    return server(request);
  };
  attend(Phase::Protecting);
  live(Duration::seconds(30));
  EXPECT_GT(refused, 2);
  EXPECT_LT(place("EVICT web"), std::ssize(server.writes));
  EXPECT_THAT(logged, HasSubstr("run not stored"));
}

TEST_F(Attendance, AnAbortWaitsForWhatIsOnItsWay) {
  // The patch of node a is sent and has no answer yet.
  transport.on_send = [this](const net::Request& request) -> std::optional<net::Exchange> {
    if (request.method == net::Method::Patch && request.target.starts_with("/api/v1/nodes/a"))
      return std::nullopt;
    return server(request);
  };
  attend(Phase::Protecting);
  live(Duration::seconds(3));
  ASSERT_EQ(transport.held(), 1U);
  server.objects[kRunPath].ensure({"metadata", "annotations"}).set("temper.codes/abort", "true");
  attendant->hear(shelved());
  live(Duration::seconds(5));
  EXPECT_EQ(stored().phase, Phase::Protecting) << "whoever reads Aborting knows that no mark will follow";
  EXPECT_EQ(attendant->run()->phase, Phase::Aborting);
  transport.on_send = [this](const net::Request& request) { return server(request); };
  transport.answer_held(net::no_answer());
  live(Duration::seconds(5));
  EXPECT_EQ(stored().phase, Phase::RolledBack);
}

}  // namespace
}  // namespace tamp::controller
