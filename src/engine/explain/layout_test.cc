#include "explain/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tamp::explain {
namespace {

using testing::ElementsAre;

TEST(Layout, WidthCountsCharactersNotBytes) {
  EXPECT_EQ(display_width("web-1"), 5U);
  EXPECT_EQ(display_width("✓ →"), 3U);
}

TEST(Layout, WrapBreaksAtSpacesAndNeverCuts) {
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("a-very-long-name x", 5), ElementsAre("a-very-long-name", "x"));
  EXPECT_THAT(wrap("", 5), ElementsAre(""));
}

TEST(Layout, PrintableDisarmsControlCharacters) { EXPECT_EQ(printable("a\x1b[31mb\nc"), "a?[31mb?c"); }

TEST(Layout, BarShowsAnythingAboveZero) {
  EXPECT_EQ(bar(1.0, 3), "███");
  EXPECT_EQ(bar(0.5, 3), "█▌");
  EXPECT_EQ(bar(0.0001, 3), "▏");
  EXPECT_EQ(bar(0, 3), "");
  EXPECT_EQ(bar(7, 3), "███");
}

TEST(Layout, TableAlignsColumnsAndEndsNoLineInSpaces) {
  Table table({Align::Left, Align::Right, Align::Left}, 1);
  table.header({"NAME", "N", "WHY"});
  table.row({{"a"}, {"10"}, {"x"}});
  table.row({{"longer"}, {"7"}, {""}});
  EXPECT_EQ(table.render({}),
            " NAME     N  WHY\n"
            " a       10  x\n"
            " longer   7\n");
}

TEST(Layout, TableWrapsTheLastColumnUnderItself) {
  Table table({Align::Left, Align::Left}, 0);
  table.row({{"k"}, {"a sentence that does not fit on the line"}});
  EXPECT_EQ(table.render({.color = false, .width = 26}),
            "k  a sentence that does\n"
            "   not fit on the line\n");
}

TEST(Layout, ColourDoesNotShiftColumns) {
  Table table({Align::Left, Align::Left}, 0);
  table.row({{"ab", Ink::Red}, {"x"}});
  table.row({{"abc"}, {"y"}});
  EXPECT_EQ(table.render({.color = true, .width = 80}),
            "\x1b[31mab\x1b[0m   x\n"
            "abc  y\n");
}

}  // namespace
}  // namespace tamp::explain
