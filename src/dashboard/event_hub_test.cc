#include "dashboard/event_hub.h"

#include <gtest/gtest.h>

#include "net/gzip.h"

namespace tamp::dashboard {
namespace {

std::string sent(const net::HttpStream& stream) {
  std::string all;
  for (auto piece = stream.take(); !piece.bytes.empty(); piece = stream.take()) {
    all += piece.bytes;
    stream.sent();
  }
  return all;
}

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

class EventHubTest : public ::testing::Test {
 protected:
  EventHub hub{"boot", 2};
  net::Instant now{1};
  void wait(Duration time) { now = now + time; }
};

TEST_F(EventHubTest, TellsWhatChangesToEveryStream) {
  net::HttpStream a, b;
  ASSERT_TRUE(hub.join(a, ""));
  ASSERT_TRUE(hub.join(b, ""));
  hub.tell(Topic::Plan, now);
  EXPECT_NE(sent(a).find("id: boot-1\nevent: plan\ndata: {}\n\n"), std::string::npos);
  EXPECT_NE(sent(b).find("event: plan"), std::string::npos);
}

TEST_F(EventHubTest, WhoComesBackIsToldWhatItMissedAndNoMore) {
  hub.tell(Topic::Plan, now);
  hub.tell(Topic::Nodes, now);
  net::HttpStream back;
  ASSERT_TRUE(hub.join(back, "boot-1"));
  const std::string text = sent(back);
  EXPECT_EQ(count(text, "event: "), 1);
  EXPECT_EQ(count(text, "event: nodes"), 1);
}

TEST_F(EventHubTest, AnIdOfAnotherProcessOrOfNobodyMeansEverything) {
  hub.tell(Topic::Plan, now);
  for (const char* id : {"other-1", "boot-99", "boot-x", "nonsense"}) {
    EventHub fresh("boot", 2);
    net::HttpStream back;
    ASSERT_TRUE(fresh.join(back, id));
    EXPECT_EQ(count(sent(back), "event: "), 4) << id;
  }
  net::HttpStream first;
  ASSERT_TRUE(hub.join(first, ""));
  EXPECT_EQ(count(sent(first), "event: "), 0) << "it has just asked for everything";
}

TEST_F(EventHubTest, ATopicIsToldAtItsPaceAndTheLastWordIsNotLost) {
  hub.pace(Topic::Nodes, Duration::seconds(20));
  net::HttpStream a;
  ASSERT_TRUE(hub.join(a, ""));
  for (int i = 0; i < 100; ++i) {
    hub.tell(Topic::Nodes, now);
    wait(Duration::nanoseconds(1'000'000));
  }
  hub.flush(now);
  EXPECT_EQ(count(sent(a), "event: nodes"), 1);
  wait(Duration::seconds(20));
  hub.flush(now);
  hub.flush(now);
  EXPECT_EQ(count(sent(a), "event: nodes"), 1);
}

TEST_F(EventHubTest, StreamsAreBoundedAndThoseThatLeftDoNotCount) {
  net::HttpStream a, b, c, d;
  ASSERT_TRUE(hub.join(a, ""));
  ASSERT_TRUE(hub.join(b, ""));
  EXPECT_FALSE(hub.join(c, ""));
  a.close();
  EXPECT_TRUE(hub.join(c, ""));
  EXPECT_FALSE(hub.join(d, ""));
}

TEST_F(EventHubTest, AClientThatTakesNothingIsCutOffAndTheOthersGoOn) {
  net::HttpStream slow(1024), quick(1024);
  ASSERT_TRUE(hub.join(slow, ""));
  ASSERT_TRUE(hub.join(quick, ""));
  for (int i = 0; i < 200; ++i) {
    hub.beat();
    (void)sent(quick);
  }
  EXPECT_FALSE(quick.closed());
  EXPECT_TRUE(slow.take().cut);
}

TEST(Gzip, IsSaidToBeTakenOnlyWhereItIs) {
  EXPECT_TRUE(net::accepts_gzip("gzip"));
  EXPECT_TRUE(net::accepts_gzip("br, gzip, deflate"));
  EXPECT_TRUE(net::accepts_gzip("gzip;q=0.5"));
  EXPECT_FALSE(net::accepts_gzip("gzip;q=0"));
  EXPECT_FALSE(net::accepts_gzip("br"));
  EXPECT_FALSE(net::accepts_gzip(""));
}

TEST(Gzip, IsShorterAndCarriesLengthAndChecksum) {
  const std::string text(100'000, 'a');
  const std::string zipped = net::gzip(text);
  EXPECT_LT(zipped.size(), 1000U);
  EXPECT_EQ(zipped.substr(0, 3), "\x1f\x8b\x08");
  EXPECT_EQ(zipped.substr(zipped.size() - 4), std::string("\xa0\x86\x01\x00", 4));
  // The check value that CRC-32 is published with.
  const std::string known = net::gzip("123456789");
  EXPECT_EQ(known.substr(known.size() - 8, 4), "\x26\x39\xf4\xcb");
}

}  // namespace
}  // namespace tamp::dashboard
