#include "dashboard/sessions.h"

#include <gtest/gtest.h>

namespace tamp::dashboard {
namespace {

class SessionsTest : public ::testing::Test {
 protected:
  net::Instant now{1};
  SessionOptions options;
  std::optional<Sessions> sessions;

  Sessions& begin() {
    sessions.emplace(options, [this] { return now; }, random_secret);
    return *sessions;
  }
  void wait(Duration time) { now = now + time; }
  static Session of(const std::string& user, const std::string& token) {
    return {{user, {}, {}, {}}, {true, false, false, false}, token, {}, false};
  }
};

TEST_F(SessionsTest, IsFoundByItsCookieAndNothingElse) {
  Sessions& s = begin();
  const std::string id = s.open(of("ann", "token-a"));
  const auto found = s.find(id);
  EXPECT_EQ(found.state, Sessions::State::Fresh);
  EXPECT_EQ(found.session.caller.user, "ann");
  EXPECT_TRUE(found.session.cookie);
  EXPECT_EQ(found.session.csrf.size(), 64U);
  EXPECT_NE(found.session.csrf, id);
  EXPECT_EQ(s.find("token-a").state, Sessions::State::None);
  EXPECT_EQ(s.find_by_token("token-a").state, Sessions::State::None);
  EXPECT_EQ(s.find(found.session.csrf).state, Sessions::State::None);
  EXPECT_EQ(s.find("").state, Sessions::State::None);
}

TEST_F(SessionsTest, RightsAreAskedForAgainAfterAWhile) {
  Sessions& s = begin();
  const std::string id = s.open(of("ann", "token-a"));
  wait(Duration::seconds(16));
  EXPECT_EQ(s.find(id).state, Sessions::State::Stale);
  s.refresh("token-a", {"ann", {}, {}, {}}, {true, true, false, false});
  const auto found = s.find(id);
  EXPECT_EQ(found.state, Sessions::State::Fresh);
  EXPECT_TRUE(found.session.rights.approve);
}

TEST_F(SessionsTest, EndsByTimeByIdlenessByLogoutAndByItsToken) {
  options.requests_per_second = 1000;
  Sessions& s = begin();
  const std::string idle = s.open(of("ann", "a"));
  wait(Duration::minutes(61));
  EXPECT_EQ(s.find(idle).state, Sessions::State::None);

  const std::string old = s.open(of("ann", "a"));
  for (int i = 0; i < 13; ++i) {
    wait(Duration::minutes(59));
    if (i < 12) {
      EXPECT_NE(s.find(old).state, Sessions::State::None) << i;
    }
  }
  EXPECT_EQ(s.find(old).state, Sessions::State::None);

  const std::string left = s.open(of("ann", "a"));
  s.close(left);
  EXPECT_EQ(s.find(left).state, Sessions::State::None);

  const std::string one = s.open(of("ann", "a")), two = s.open(of("bob", "b"));
  s.open_by_token("a", of("ann", "a"));
  s.close_by_token("a");
  EXPECT_EQ(s.find(one).state, Sessions::State::None);
  EXPECT_EQ(s.find_by_token("a").state, Sessions::State::None);
  EXPECT_EQ(s.find(two).state, Sessions::State::Fresh);
}

TEST_F(SessionsTest, OneThatAsksTooMuchIsHeldBackAloneAndForAMoment) {
  options.burst = 5;
  options.requests_per_second = 1;
  Sessions& s = begin();
  const std::string loud = s.open(of("ann", "a")), quiet = s.open(of("bob", "b"));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(s.find(loud).state, Sessions::State::Fresh);
  EXPECT_EQ(s.find(loud).state, Sessions::State::TooFast);
  EXPECT_EQ(s.find(quiet).state, Sessions::State::Fresh);
  wait(Duration::seconds(2));
  EXPECT_EQ(s.find(loud).state, Sessions::State::Fresh);
}

TEST_F(SessionsTest, TheirNumberIsBounded) {
  options.most = 3;
  Sessions& s = begin();
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) {
    ids.push_back(s.open(of("ann", "a")));
    wait(Duration::seconds(1));
  }
  for (std::size_t i : {0U, 1U}) EXPECT_EQ(s.find(ids[i]).state, Sessions::State::None) << i;
  for (std::size_t i : {2U, 3U, 4U}) EXPECT_EQ(s.find(ids[i]).state, Sessions::State::Fresh) << i;
}

TEST(Cookies, AreFoundByTheirWholeName) {
  EXPECT_EQ(cookie_value("a=1; tamp_session=abc; b=2", "tamp_session"), "abc");
  EXPECT_EQ(cookie_value("tamp_session=abc", "tamp_session"), "abc");
  EXPECT_EQ(cookie_value("not_tamp_session=abc", "tamp_session"), "");
  EXPECT_EQ(cookie_value("tamp_session_x=abc", "tamp_session"), "");
  EXPECT_EQ(cookie_value("", "tamp_session"), "");
}

TEST(Secrets, AreComparedWholeAndNeverRepeat) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "ab"));
  EXPECT_NE(random_secret(), random_secret());
  EXPECT_EQ(random_secret().size(), 64U);
}

}  // namespace
}  // namespace tamp::dashboard
