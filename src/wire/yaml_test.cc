#include "wire/yaml.h"

#include <gtest/gtest.h>

#include "wire/value.h"
#include "wire/yaml_scalar.h"

namespace tamp::wire {
namespace {

std::string json_of(const std::string& yaml) {
  const auto documents = yaml_to_json(yaml);
  if (!documents) return documents.error().message;
  return documents->size() == 1 ? documents->front() : std::to_string(documents->size()) + " documents";
}

struct Scalar {
  const char* yaml;
  const char* json;
};
class YamlScalars : public ::testing::TestWithParam<Scalar> {};

// The answers of sigs.k8s.io/yaml.
TEST_P(YamlScalars, MeanWhatKubectlTakesThemFor) {
  EXPECT_EQ(json_of(std::string("a: ") + GetParam().yaml), std::string("{\"a\":") + GetParam().json + "}");
}

INSTANTIATE_TEST_SUITE_P(
    Table, YamlScalars,
    ::testing::Values(
        Scalar{"yes", "true"}, Scalar{"No", "false"}, Scalar{"on", "true"}, Scalar{"OFF", "false"},
        Scalar{"y", "true"}, Scalar{"N", "false"}, Scalar{"true", "true"}, Scalar{"False", "false"},
        Scalar{"yEs", "\"yEs\""}, Scalar{"\"yes\"", "\"yes\""}, Scalar{"'true'", "\"true\""},
        Scalar{"", "null"}, Scalar{"~", "null"}, Scalar{"null", "null"}, Scalar{"''", "\"\""},
        Scalar{"5", "5"}, Scalar{"+5", "5"}, Scalar{"-5", "-5"}, Scalar{"1_000", "1000"},
        Scalar{"0777", "511"}, Scalar{"0o17", "15"}, Scalar{"0x1F", "31"}, Scalar{"-0x10", "-16"},
        Scalar{"0b101", "5"}, Scalar{"09", "9"}, Scalar{"\"5\"", "\"5\""}, Scalar{"!!str 5", "\"5\""},
        Scalar{"!!int \"5\"", "5"}, Scalar{"1.5", "1.5"}, Scalar{".5", "0.5"}, Scalar{"5.", "5"},
        Scalar{"1e3", "1000"}, Scalar{"1e400", "\"1e400\""}, Scalar{"100m", "\"100m\""},
        Scalar{"1Gi", "\"1Gi\""}, Scalar{"1.2.3", "\"1.2.3\""}, Scalar{"12:30:45", "\"12:30:45\""},
        Scalar{"2026-11-15", "\"2026-11-15\""}, Scalar{"18446744073709551615", "18446744073709551615"},
        Scalar{"2026-11-15T00:00:00Z", "\"2026-11-15T00:00:00Z\""}));

INSTANTIATE_TEST_SUITE_P(
    Edges, YamlScalars,
    ::testing::Values(Scalar{"-0", "0"}, Scalar{"00", "0"}, Scalar{"0x", "\"0x\""}, Scalar{"0b", "\"0b\""},
                      Scalar{"0b2", "\"0b2\""}, Scalar{"0o8", "\"0o8\""}, Scalar{"0xg", "\"0xg\""},
                      Scalar{"0XfF", "255"}, Scalar{"+0b11", "3"}, Scalar{"+-5", "\"+-5\""},
                      Scalar{"-+5", "\"-+5\""}, Scalar{"--5", "\"--5\""}, Scalar{"0x-5", "\"0x-5\""},
                      Scalar{"0x+5", "\"0x+5\""}, Scalar{"-9223372036854775808", "-9223372036854775808"},
                      Scalar{"-9223372036854775809", "-9.223372036854776e+18"}, Scalar{"1e", "\"1e\""},
                      Scalar{"1e+", "\"1e+\""}, Scalar{"1E-2", "0.01"}, Scalar{"1e+2", "100"},
                      Scalar{"+1.5", "1.5"}, Scalar{"-.5", "-0.5"}, Scalar{".", "\".\""},
                      Scalar{"+.", "\"+.\""}, Scalar{"+", "\"+\""}, Scalar{"1e-400", "0"},
                      Scalar{"1E-400", "0"}, Scalar{"-1e400", "\"-1e400\""}, Scalar{"_1", "\"_1\""},
                      Scalar{"1_0.5", "10.5"}, Scalar{"09.5", "9.5"}, Scalar{"1.5e3x", "\"1.5e3x\""},
                      Scalar{"1.e3", "1000"}, Scalar{".e3", "\".e3\""},
                      Scalar{"1234567890123456.5", "1.2345678901234565e+15"}));

TEST(Yaml, NumbersTooLargeForAnIntegerBecomeFloats) {
  const std::string json = json_of("a: 18446744073709551616");
  EXPECT_EQ(json, "{\"a\":1.8446744073709552e+19}");
  EXPECT_EQ(Json::parse(json)->root().get("a").number(), 18446744073709551616.0);
}

TEST(Yaml, KeysThatAreNoStringsBecomeStrings) {
  EXPECT_EQ(json_of("1: x"), R"({"1":"x"})");
  EXPECT_EQ(json_of("yes: x"), R"({"true":"x"})");
  EXPECT_EQ(json_of("\"yes\": x"), R"({"yes":"x"})");
}

TEST(Yaml, BlocksFlowsAndMultiLineText) {
  EXPECT_EQ(json_of("a:\n- 1\n- {b: [x, 'y']}\n"), R"({"a":[1,{"b":["x","y"]}]})");
  EXPECT_EQ(json_of("a: |\n  one\n  two\n"), R"({"a":"one\ntwo\n"})");
  EXPECT_EQ(json_of("a: >\n  one\n  two\n"), R"({"a":"one two\n"})");
  EXPECT_EQ(json_of("a: \"\\u00fc\\\"\""), "{\"a\":\"\xC3\xBC\\\"\"}");
}

TEST(Yaml, SeveralDocuments) {
  EXPECT_EQ(json_of("a: 1\n---\nb: 2\n...\n---\n"), "3 documents");
  EXPECT_EQ(json_of("# nothing\n"), "0 documents");
}

TEST(Yaml, AliasesAreCopies) {
  EXPECT_EQ(json_of("a: &x {b: [1]}\nc: *x\nd: [*x]"), R"({"a":{"b":[1]},"c":{"b":[1]},"d":[{"b":[1]}]})");
}

TEST(Yaml, MergeKeysInsertFieldsWhereTheyStand) {
  EXPECT_EQ(json_of("a: &x {b: 1}\nc: {<<: *x, d: 2}"), R"({"a":{"b":1},"c":{"b":1,"d":2}})");
  // The first of several maps wins, so it comes last.
  EXPECT_EQ(json_of("a: &x {b: 1}\ne: &z {b: 2}\nc: {<<: [*x, *z]}"),
            R"({"a":{"b":1},"e":{"b":2},"c":{"b":2,"b":1}})");
  EXPECT_NE(json_of("a: {<<: 5}").find("a merge key needs a map"), std::string::npos);
  EXPECT_NE(json_of("x: &x [{b: 1}]\na: {<<: *x}").find("a merge key needs a map"), std::string::npos);
}

TEST(Yaml, AnAliasBombIsRefused) {
  std::string bomb = "a0: &a0 [\"0123456789012345678901234567890123456789\"]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += "*a" + std::to_string(i - 1) + ",";
    bomb += "]\n";
  }
  EXPECT_NE(json_of(bomb).find("grow out of proportion"), std::string::npos);
}

TEST(Yaml, AnAliasOfItsOwnContainerIsRefused) {
  EXPECT_NE(json_of("a: &x [*x]").find("not valid YAML"), std::string::npos);
}

TEST(Yaml, DeepNestingIsRefused) {
  EXPECT_NE(json_of(std::string(300, '[') + std::string(300, ']')).find("levels deep"), std::string::npos);
  EXPECT_NE(json_of(std::string(100'000, '[')).find("not valid YAML"), std::string::npos);
  // Deep only through aliases.
  std::string doubling = "a0: &a0 [x]\n";
  for (int i = 1; i < 300; ++i)
    doubling += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_NE(json_of(doubling).find("levels deep"), std::string::npos);
}

TEST(Yaml, TextThatBeginsNoDocumentIsRefusedAtOnce) {
  EXPECT_NE(json_of(", a").find("a document cannot begin like this"), std::string::npos);
  EXPECT_NE(json_of("\"a\", b").find("a document cannot begin like this"), std::string::npos);
}

TEST(Yaml, WhatHasNoPlaceInJsonIsRefusedWithItsLine) {
  EXPECT_NE(json_of("b: 1\na: .inf").find("line 2"), std::string::npos);
  EXPECT_NE(json_of("a: .nan").find(".nan"), std::string::npos);
  EXPECT_NE(json_of("? [a]\n: b").find("a key is not a scalar"), std::string::npos);
  EXPECT_NE(json_of("~: b").find("a key is null"), std::string::npos);
  EXPECT_NE(json_of("a: [1, 2").find("not valid YAML"), std::string::npos);
  EXPECT_NE(json_of("a: !!int x").find("not of type int"), std::string::npos);
}

}  // namespace
}  // namespace tamp::wire
