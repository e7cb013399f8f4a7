#include "net/watch_frame.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tamp::net {
namespace {

std::vector<std::string> lines(WatchFrame& frame) {
  std::vector<std::string> out;
  while (auto line = frame.next()) out.push_back(*line);
  return out;
}

TEST(WatchFrame, GivesALineWhenItIsComplete) {
  WatchFrame frame;
  frame.feed("{\"a\"");
  EXPECT_TRUE(lines(frame).empty());
  frame.feed(":1}\n{\"b\"");
  EXPECT_EQ(lines(frame), std::vector<std::string>{"{\"a\":1}"});
  frame.feed(":2}\r\n");
  EXPECT_EQ(lines(frame), std::vector<std::string>{"{\"b\":2}"});
}

TEST(WatchFrame, SkipsBlankLines) {
  WatchFrame frame;
  frame.feed("\n\r\n  \nx\n\n");
  EXPECT_EQ(lines(frame), std::vector<std::string>{"x"});
}

TEST(WatchFrame, ALineHasRoomToBeParsedInPlace) {
  WatchFrame frame;
  frame.feed("{}\n");
  const auto line = frame.next();
  ASSERT_TRUE(line.has_value());
  EXPECT_GE(line->capacity(), line->size() + 64);
}

TEST(WatchFrame, ALineBeyondTheCapIsTheEnd) {
  WatchFrame frame(4);
  frame.feed("1234\n");
  EXPECT_EQ(lines(frame), std::vector<std::string>{"1234"});
  frame.feed("12345");
  EXPECT_TRUE(lines(frame).empty());
  EXPECT_TRUE(frame.too_long());
  frame.feed("\nabc\n");
  EXPECT_TRUE(lines(frame).empty());
  frame.clear();
  frame.feed("abc\n");
  EXPECT_EQ(lines(frame), std::vector<std::string>{"abc"});
}

RC_GTEST_PROP(WatchFrame, DoesNotCareHowTheBytesWereCut, (const std::vector<std::string>& pieces)) {
  std::string all;
  for (const std::string& piece : pieces) all += piece + (piece.size() % 2 == 0 ? "\n" : "");
  WatchFrame whole, cut;
  whole.feed(all);
  std::vector<std::string> from_cut;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t n = 1 + (at * 7) % 5;
    cut.feed(std::string_view(all).substr(at, n));
    for (std::string& line : lines(cut)) from_cut.push_back(std::move(line));
    at += n;
  }
  RC_ASSERT(lines(whole) == from_cut);
  // And of the last line, whose end had not come.
  whole.feed("\n");
  cut.feed("\n");
  RC_ASSERT(lines(whole) == lines(cut));
}

}  // namespace
}  // namespace tamp::net
