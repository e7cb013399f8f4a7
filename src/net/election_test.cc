#include "net/election.h"

#include <gtest/gtest.h>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"

namespace tamp::net {
namespace {

// The one Lease, as an API server keeps it: every write has a version, and a write on another version is refused.
struct LeaseServer {
  std::optional<wire::Lease> lease;
  int version = 0;

  Exchange stored() {
    lease->resource_version = std::to_string(++version);
    return answer(200, wire::write_lease(*lease));
  }
  Exchange handle(const Request& request) {
    if (request.method == Method::Get)
      return lease ? answer(200, wire::write_lease(*lease)) : refuse(404, "NotFound");
    auto wanted = wire::read_lease(request.body);
    if (request.method == Method::Post) {
      if (lease) return refuse(409, "AlreadyExists");
      // A new Lease has no version yet, which reading insists on.
      std::string body = request.body;
      body.insert(body.find("\"name\""), "\"resourceVersion\":\"0\",");
      wanted = wire::read_lease(body);
      lease = std::move(*wanted);
      return stored();
    }
    if (!lease) return refuse(404, "NotFound");
    if (wanted->resource_version != lease->resource_version) return refuse(409, "Conflict");
    lease = std::move(*wanted);
    return stored();
  }
};

// A process: its own loop, so that it can be frozen alone, and its own way to the server, so that it can be cut off.
struct Candidate {
  Candidate(LeaseServer& server, std::string identity, std::uint64_t seed) : loop(seed) {
    transport.on_send = [this, &server](const Request& request) -> std::optional<Exchange> {
      if (silent) return std::nullopt;
      return cut_off ? no_answer() : server.handle(request);
    };
    ElectionOptions options;
    options.identity = std::move(identity);
    ElectionCallbacks callbacks;
    callbacks.on_started = [this] { ++started; };
    callbacks.on_stopped = [this] {
      ++stopped;
      EXPECT_FALSE(election->may_write());
      error_when_stopped = election->last_error();
    };
    callbacks.on_new_holder = [this](const std::string& holder) { holders.push_back(holder); };
    election.emplace(loop, client, options, callbacks);
    election->start();
  }

  FakeLoop loop;
  ScriptedTransport transport{loop};
  Client client{loop, transport};
  bool cut_off = false;  // an error at once
  bool silent = false;   // no answer at all
  int started = 0, stopped = 0;
  std::string error_when_stopped;
  std::vector<std::string> holders;
  std::optional<Election> election;
};

class ElectionTest : public ::testing::Test {
 protected:
  Candidate& candidate(const std::string& identity) {
    candidates.push_back(std::make_unique<Candidate>(server, identity, candidates.size() + 1));
    return *candidates.back();
  }
  // All processes live on, in small steps, and never do two of them write.
  void advance(Duration span) {
    const Duration step{100'000'000};
    for (std::int64_t passed = 0; passed < span.ns; passed += step.ns) {
      int writers = 0;
      for (const auto& each : candidates) {
        if (each.get() != frozen) each->loop.advance(step);
        if (each.get() == frozen) each->loop.freeze(step);
      }
      for (const auto& each : candidates) writers += each->election->may_write() ? 1 : 0;
      ASSERT_LE(writers, 1);
    }
  }

  LeaseServer server;
  std::vector<std::unique_ptr<Candidate>> candidates;
  const Candidate* frozen = nullptr;
};

TEST(Identity, TellsThePodWhateverItsName) {
  for (const char* pod : {"tamp-7d9f-abcde", "a_host_of_somebody", ""})
    EXPECT_EQ(pod_of_identity(make_identity(pod, 7)), pod);
  EXPECT_NE(make_identity("tamp", 1), make_identity("tamp", 2)) << "another start is another candidate";
}

TEST_F(ElectionTest, TheFirstCreatesTheLeaseAndLeads) {
  Candidate& a = candidate("a");
  EXPECT_FALSE(a.election->may_write());
  advance(Duration::seconds(1));
  EXPECT_TRUE(a.election->leading());
  EXPECT_TRUE(a.election->may_write());
  EXPECT_EQ(a.started, 1);
  ASSERT_TRUE(server.lease.has_value());
  EXPECT_EQ(server.lease->ns, "tamp-system");
  EXPECT_EQ(server.lease->name, "tamp-controller");
  EXPECT_EQ(server.lease->holder, "a");
  EXPECT_EQ(server.lease->duration_seconds, 15);
  EXPECT_EQ(server.lease->transitions, 0);
  EXPECT_TRUE(server.lease->renewed.has_value());
}

TEST_F(ElectionTest, TheLeaderRenewsAndTheOthersWait) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  Candidate& b = candidate("b");
  const int before = server.version;
  const Time acquired = *server.lease->acquired;
  advance(Duration::minutes(2));
  EXPECT_TRUE(a.election->leading());
  EXPECT_EQ(b.started, 0);
  EXPECT_EQ(b.holders, std::vector<std::string>{"a"});
  // Every 2 s.
  EXPECT_GE(server.version - before, 55);
  EXPECT_LE(server.version - before, 61);
  EXPECT_EQ(*server.lease->acquired, acquired);
  EXPECT_EQ(a.stopped, 0);
}

TEST_F(ElectionTest, ALeaderThatCouldNotRenewStopsWritingBeforeAnotherMayTakeOver) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  Candidate& b = candidate("b");
  advance(Duration::seconds(10));
  a.cut_off = true;
  // The last renewal is at most 2 s old, so after 10 s from it at the latest nothing is written.
  advance(Duration{7'900'000'000});
  EXPECT_TRUE(a.election->may_write());
  advance(Duration{2'200'000'000});
  EXPECT_FALSE(a.election->may_write());
  EXPECT_EQ(a.stopped, 1);
  EXPECT_FALSE(b.election->leading());  // there are about 5 s in which nobody writes
  advance(Duration{10'000'000'000});
  EXPECT_TRUE(b.election->may_write());
  EXPECT_EQ(server.lease->transitions, 1);
  EXPECT_EQ(server.lease->holder, "b");
}

TEST_F(ElectionTest, ALeaderThatLosesTheLeaseSaysWhatKeptItFromRenewing) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  a.cut_off = true;
  advance(Duration::seconds(11));
  EXPECT_EQ(a.stopped, 1);
  EXPECT_NE(a.error_when_stopped.find("could not be renewed in time: "), std::string::npos)
      << a.error_when_stopped;
  EXPECT_NE(a.error_when_stopped.find("connection reset"), std::string::npos) << a.error_when_stopped;
}

TEST_F(ElectionTest, AServerThatDoesNotAnswerIsAsGoodAsNone) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(5));
  a.silent = true;
  advance(Duration{10'200'000'000});
  EXPECT_FALSE(a.election->may_write());
  EXPECT_EQ(a.stopped, 1);
}

TEST_F(ElectionTest, AFrozenLeaderDoesNotWriteWhenItContinues) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  Candidate& b = candidate("b");
  advance(Duration::seconds(10));
  frozen = &a;
  advance(Duration::seconds(60));
  EXPECT_TRUE(b.election->may_write());
  // Before anything of it has run, also before on_stopped.
  EXPECT_EQ(a.stopped, 0);
  EXPECT_FALSE(a.election->may_write());
  frozen = nullptr;
  advance(Duration::seconds(10));
  EXPECT_EQ(a.stopped, 1);
  EXPECT_FALSE(a.election->leading());
  EXPECT_EQ(a.holders.back(), "b");
}

TEST_F(ElectionTest, TheGateOfTheClientFollowsTheFence) {
  Candidate& a = candidate("a");
  a.client.set_may_write([&] { return a.election->may_write(); });
  advance(Duration::seconds(1));
  std::vector<std::string> outcomes;
  const auto keep = [&](Reply reply) { outcomes.push_back(reply.ok() ? "sent" : reply.error->reason); };
  a.transport.on_send = [&](const Request& request) -> std::optional<Exchange> {
    return request.target.find("/leases/") == std::string::npos ? answer(200) : server.handle(request);
  };
  const Pending before = a.client.patch(kNodes, "", "n", "", PatchType::Merge, "{}", keep);
  a.loop.settle();
  a.loop.freeze(Duration::seconds(60));
  const Pending after = a.client.patch(kNodes, "", "n", "", PatchType::Merge, "{}", keep);
  a.loop.settle();
  EXPECT_EQ(outcomes, (std::vector<std::string>{"sent", "Fenced"}));
}

TEST_F(ElectionTest, AnAnswerThatComesTooLateDoesNotMakeALeader) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  a.silent = true;
  advance(Duration::seconds(2));  // a renewal is under way
  ASSERT_EQ(a.transport.held(), 1u);
  const Exchange late = server.handle(a.transport.oldest_held());
  a.loop.freeze(Duration::seconds(11));
  a.transport.answer_held(late);
  EXPECT_FALSE(a.election->leading());
  EXPECT_FALSE(a.election->may_write());
  EXPECT_EQ(a.stopped, 1);
}

TEST_F(ElectionTest, AfterAShortOutageTheLeaderLeadsOn) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  Candidate& b = candidate("b");
  advance(Duration::seconds(4));
  a.cut_off = true;
  advance(Duration::seconds(5));
  a.cut_off = false;
  advance(Duration::seconds(30));
  EXPECT_EQ(a.stopped, 0);
  EXPECT_EQ(b.started, 0);
  EXPECT_EQ(a.started, 1);
}

TEST_F(ElectionTest, ExpiryIsJudgedByWhatWasSeenAndNotByTheDate) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  Candidate& b = candidate("b");
  b.loop.set_date(Time{b.loop.now().ns} + Duration::hours(24));  // by its date the Lease ran out long ago
  advance(Duration::seconds(60));
  EXPECT_EQ(b.started, 0);
  EXPECT_TRUE(a.election->leading());
}

TEST_F(ElectionTest, ALeaseWithoutARenewTimeIsNotExpired) {
  server.lease =
      wire::Lease{"tamp-system", "tamp-controller", "u", "1", "x", 15, std::nullopt, std::nullopt, 4};
  server.version = 1;
  Candidate& a = candidate("a");
  advance(Duration{14'500'000'000});
  EXPECT_FALSE(a.election->leading());
  advance(Duration::seconds(5));
  EXPECT_TRUE(a.election->leading());
  EXPECT_EQ(server.lease->transitions, 5);
}

TEST_F(ElectionTest, ALabelOnTheLeaseIsNoSignOfLife) {
  server.lease =
      wire::Lease{"tamp-system", "tamp-controller", "u", "1", "x", 15, std::nullopt, std::nullopt, 0};
  Candidate& a = candidate("a");
  for (int i = 0; i < 20; ++i) {
    advance(Duration::seconds(1));
    if (server.lease->holder == "x") server.lease->resource_version = std::to_string(++server.version);
  }
  EXPECT_TRUE(a.election->leading());
}

TEST_F(ElectionTest, OfTwoThatStartTogetherOneLeads) {
  Candidate& a = candidate("a");
  Candidate& b = candidate("b");
  advance(Duration::minutes(1));
  EXPECT_EQ(a.started + b.started, 1);
}

TEST_F(ElectionTest, GivenBackTheLeaseIsFreeAtOnce) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  Candidate& b = candidate("b");
  advance(Duration::seconds(5));
  bool done = false;
  a.election->release([&] { done = true; });
  EXPECT_FALSE(a.election->may_write());
  EXPECT_EQ(a.stopped, 1);
  EXPECT_FALSE(done);
  advance(Duration{200'000'000});
  EXPECT_TRUE(done);
  EXPECT_NE(server.lease->holder, "a");
  advance(Duration::seconds(4));  // far less than the lease duration
  EXPECT_TRUE(b.election->leading());
  EXPECT_EQ(a.started, 1);
}

TEST_F(ElectionTest, ARenewalUnderWayDoesNotKeepTheLease) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  a.silent = true;
  advance(Duration::seconds(2));
  ASSERT_EQ(a.transport.held(), 1u);
  server.handle(a.transport.oldest_held());  // carried out, but the answer is not there yet
  a.silent = false;
  bool done = false;
  a.election->release([&] { done = true; });
  advance(Duration::seconds(1));
  EXPECT_TRUE(done);
  EXPECT_EQ(server.lease->holder, "");
}

TEST_F(ElectionTest, GivingBackDoesNotTakeForEver) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  a.silent = true;
  bool done = false;
  a.election->release([&] { done = true; });
  advance(Duration{2'100'000'000});
  EXPECT_TRUE(done);
}

TEST_F(ElectionTest, WhoDoesNotLeadGivesNothingBack) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(1));
  Candidate& b = candidate("b");
  advance(Duration::seconds(5));
  bool done = false;
  b.election->release([&] { done = true; });
  advance(Duration::seconds(5));
  EXPECT_TRUE(done);
  EXPECT_TRUE(a.election->leading());
  EXPECT_EQ(b.stopped, 0);
}

TEST_F(ElectionTest, AStolenLeaseEndsTheTermAtOnce) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(5));
  server.lease->holder = "thief";
  server.stored();
  advance(Duration{2'200'000'000});
  EXPECT_FALSE(a.election->leading());
  EXPECT_EQ(a.stopped, 1);
}

TEST_F(ElectionTest, ADeletedLeaseEndsTheTermAndIsMadeAnew) {
  Candidate& a = candidate("a");
  advance(Duration::seconds(5));
  server.lease.reset();
  advance(Duration::seconds(6));
  EXPECT_EQ(a.stopped, 1);
  EXPECT_EQ(a.started, 2);
  EXPECT_EQ(server.lease->holder, "a");
}

TEST(ElectionOptions, MustLeaveTimeBetweenTheDeadlines) {
  ElectionOptions options;
  EXPECT_FALSE(check(options).ok());  // nobody
  options.identity = make_identity("tamp-1", 255);
  EXPECT_EQ(options.identity, "tamp-1_00000000000000ff");
  EXPECT_TRUE(check(options).ok());
  options.renew_deadline = options.lease_duration;
  EXPECT_FALSE(check(options).ok());
  options.renew_deadline = Duration::seconds(2);
  EXPECT_FALSE(check(options).ok());
}

}  // namespace
}  // namespace tamp::net
