#include "agent/requests_publisher.h"

#include <gtest/gtest.h>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"

namespace tamp::agent {
namespace {

class Publisher : public ::testing::Test {
 protected:
  Publisher() {
    transport_.on_send = [this](const net::Request&) {
      return refused_ ? net::refuse(403, "Forbidden") : net::answer(200);
    };
  }
  static RequestsByTier some(std::int64_t pods) {
    RequestsByTier tiers{};
    tiers[0].pods = pods;
    return tiers;
  }
  std::size_t writes() const { return transport_.sent.size(); }

  net::FakeLoop loop_;
  net::ScriptedTransport transport_{loop_};
  net::Client client_{loop_, transport_};
  std::vector<std::string> complaints_;
  RequestsPublisher publisher_{loop_, client_, "node-1",
                               [this](const std::string& what) { complaints_.push_back(what); }};
  bool refused_ = false;
};

TEST_F(Publisher, WritesTheAnnotationOfItsNodeAndNothingElse) {
  publisher_.set(some(2));
  loop_.settle();
  ASSERT_EQ(writes(), 1u);
  const net::Request& request = transport_.sent[0];
  EXPECT_EQ(request.method, net::Method::Patch);
  EXPECT_TRUE(request.target.starts_with("/api/v1/nodes/node-1?")) << request.target;
  EXPECT_EQ(request.content_type, "application/merge-patch+json");
  EXPECT_TRUE(request.body.starts_with(
      R"({"metadata":{"annotations":{"temper.codes/requests":"[{\"tier\":\"Critical\",\"pods\":2,)"))
      << request.body;
  EXPECT_TRUE(request.body.ends_with(R"(}]"}}})")) << request.body;
}

TEST_F(Publisher, WritesNothingBeforeItIsTold) {
  loop_.advance(Duration::hours(2));
  EXPECT_EQ(writes(), 0u);
}

TEST_F(Publisher, WritesWhatHasChangedAndNotTooOften) {
  publisher_.set(some(1));
  loop_.settle();
  for (int i = 0; i < 90; ++i) {
    publisher_.set(some(i));
    loop_.advance(Duration::seconds(1));
  }
  EXPECT_GE(writes(), 9u);
  EXPECT_LE(writes(), 10u);
  loop_.advance(Duration::seconds(10));
  EXPECT_NE(transport_.sent.back().body.find(R"(\"pods\":89,)"), std::string::npos) << "the last word counts";
  const std::size_t before = writes();
  for (int i = 0; i < 60; ++i) {
    publisher_.set(some(89));
    loop_.advance(Duration::seconds(1));
  }
  EXPECT_EQ(writes(), before) << "it is there already";
}

TEST_F(Publisher, WritesItAgainNowAndThen) {
  publisher_.set(some(1));
  loop_.advance(Duration::minutes(29));
  EXPECT_EQ(writes(), 1u);
  loop_.advance(Duration::minutes(17));
  EXPECT_EQ(writes(), 2u);
}

TEST_F(Publisher, TriesAgainAfterARefusal) {
  refused_ = true;
  publisher_.set(some(1));
  loop_.advance(Duration::seconds(35));
  EXPECT_EQ(writes(), 4u) << "as often as if it had changed";
  EXPECT_EQ(complaints_.size(), 1u);
  EXPECT_EQ(publisher_.failed(), 4u);
  refused_ = false;
  loop_.advance(Duration::seconds(10));
  EXPECT_EQ(publisher_.written(), 1u);
  loop_.advance(Duration::minutes(1));
  EXPECT_EQ(publisher_.written(), 1u);
}

}  // namespace
}  // namespace tamp::agent
