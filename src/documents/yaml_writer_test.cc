#include "documents/yaml_writer.h"

#include <gtest/gtest.h>

namespace tamp::documents {
namespace {

TEST(YamlWriter, NestsObjectsAndArraysInBlockStyle) {
  YamlWriter w;
  w.begin_object().field("planner", "Requests").key("nodes").begin_array();
  w.begin_object().field("name", "a").field("fits", true).end_object();
  w.begin_object().field("name", "b").key("zones").begin_array().string("z1").string("z2").end_array();
  w.end_object().end_array().key("cost").number(0.6).end_object();
  EXPECT_EQ(w.take(),
            "planner: Requests\n"
            "nodes:\n"
            "  - name: a\n"
            "    fits: true\n"
            "  - name: b\n"
            "    zones:\n"
            "      - z1\n"
            "      - z2\n"
            "cost: 0.6\n");
}

TEST(YamlWriter, EmptyContainersAndNullStayOnTheLine) {
  YamlWriter w;
  w.begin_object().key("commands").begin_array().end_array();
  w.key("replacement").null().key("limits").begin_object().end_object();
  w.key("list").begin_array().begin_array().end_array().begin_array().integer(1).end_array().end_array();
  w.end_object();
  EXPECT_EQ(w.take(), "commands: []\nreplacement: null\nlimits: {}\nlist:\n  - []\n  - - 1\n");
}

TEST(YamlWriter, QuotesWhateverAReaderCouldMisunderstand) {
  const auto written = [](std::string_view text) {
    YamlWriter w;
    w.begin_object().field("k", text).end_object();
    return w.take();
  };
  EXPECT_EQ(written("no"), "k: \"no\"\n");
  EXPECT_EQ(written("Yes"), "k: \"Yes\"\n");
  EXPECT_EQ(written("017"), "k: \"017\"\n");
  EXPECT_EQ(written("1e3"), "k: \"1e3\"\n");
  EXPECT_EQ(written(""), "k: \"\"\n");
  EXPECT_EQ(written("a: b"), "k: \"a: b\"\n");
  EXPECT_EQ(written("~"), "k: \"~\"\n");
  EXPECT_EQ(written("2026-11-15T00:00:00Z"), "k: \"2026-11-15T00:00:00Z\"\n");
  EXPECT_EQ(written("m8i.large"), "k: m8i.large\n");
}

}  // namespace
}  // namespace tamp::documents
