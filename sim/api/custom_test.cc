#include "sim/api/custom.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sim/api/defaults.h"
#include "sim/api/strategy.h"
#include "wire/yaml.h"

namespace tamp::world::api {
namespace {

Tree tree(const std::string& json) { return *wire::read_tree(json); }

Tree our_definition(const std::string& name) {
  std::ifstream file(std::string(TAMP_SOURCE_DIR) + "/deploy/crds/temper.codes_" + name + ".yaml");
  std::stringstream text;
  text << file.rdbuf();
  Tree definition = tree(wire::yaml_to_json(text.str())->at(0));
  set_defaults(ResourceId::CustomResourceDefinitions, definition);
  prepare_for_create(ResourceId::CustomResourceDefinitions, definition, Time{});
  EXPECT_EQ(validate_create(ResourceId::CustomResourceDefinitions, definition), FieldProblems{});
  return definition;
}

std::vector<std::string> told(const FieldProblems& problems) {
  std::vector<std::string> texts;
  for (const FieldProblem& problem : problems)
    texts.push_back(problem.reason.substr(10) + " " + problem.field);
  return texts;
}

using Texts = std::vector<std::string>;

class Policies : public ::testing::Test {
 protected:
  CustomKind kind = *custom_kind(our_definition("temperpolicies"));

  Tree made(const std::string& spec) {
    Tree policy = tree(
        R"({"apiVersion": "temper.codes/v1alpha1", "kind": "TemperPolicy", "metadata": {"name": "p"}, "spec": )" +
        spec + "}");
    prune(kind.stored(), policy);
    set_custom_defaults(kind.stored(), policy);
    prepare_custom_for_create(kind.stored(), policy);
    return policy;
  }
  Texts problems(const std::string& spec) {
    return told(validate_custom_create(kind, kind.stored(), made(spec)));
  }
};

TEST_F(Policies, DefaultsAndPruning) {
  const Tree policy = made(R"({"foo": 1})");
  EXPECT_FALSE(policy["spec"].has("foo"));
  EXPECT_FALSE(policy["spec"].empty());
  EXPECT_EQ(policy["metadata"]["generation"], Tree(1));
}

TEST_F(Policies, RulesAndLimits) {
  EXPECT_EQ(problems("{}"), Texts{});
  EXPECT_EQ(problems(R"({"mode": "Guess"})"), (Texts{"NotSupported spec.mode", "Invalid <nil>"}));
  EXPECT_EQ(problems(R"({"ttlSecondsAfterEmpty": 30, "consolidation": {"enabled": true}})"),
            Texts{"Invalid spec.ttlSecondsAfterEmpty"});
  EXPECT_EQ(problems(R"({"ttlSecondsAfterEmpty": 30, "consolidation": {"enabled": false}})"), Texts{});
}

TEST(Runs, ASpecStays) {
  const CustomKind kind = *custom_kind(our_definition("consolidationruns"));
  const CustomVersion& version = kind.stored();
  Tree run =
      tree(R"({"apiVersion": "temper.codes/v1alpha1", "kind": "ConsolidationRun", "metadata": {"name": "r"},
      "spec": {"planHash": ")" +
           std::string(64, 'a') + R"(", "approvedBy": "me"}})");
  set_custom_defaults(version, run);
  prepare_custom_for_create(version, run);
  Tree other = run;
  other.ensure("spec").set("planHash", std::string(64, 'b'));
  const Texts problems = told(validate_custom_update(kind, version, run, other, ""));
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0], "Invalid spec");
  Tree labelled = run;
  labelled.ensure("metadata").set("labels", tree(R"({"a": "b"})"));
  EXPECT_EQ(told(validate_custom_update(kind, version, run, labelled, "")), Texts{});
}

Tree definition_of(const std::string& schema) {
  Tree definition = tree(
      R"({"metadata": {"name": "things.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
      "names": {"plural": "things", "kind": "Thing"}, "versions": [{"name": "v1", "served": true, "storage": true,
      "schema": {"openAPIV3Schema": )" +
      schema + "}}]}}");
  set_defaults(ResourceId::CustomResourceDefinitions, definition);
  prepare_for_create(ResourceId::CustomResourceDefinitions, definition, Time{});
  return definition;
}

TEST(Definitions, ARuleThatCannotBeJudgedIsRefused) {
  const Tree definition = definition_of(R"J({"type": "object", "properties": {"spec": {"type": "object",
      "x-kubernetes-validations": [{"rule": "self.frobnicate()"}]}}})J");
  EXPECT_EQ(
      told(validate_create(ResourceId::CustomResourceDefinitions, definition)),
      Texts{"Invalid spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule"});
}

TEST(Definitions, WhatCannotBeToldFromWhatItWasIsNotComparedWithIt) {
  const auto problems = [](const std::string& list) {
    return told(validate_create(
        ResourceId::CustomResourceDefinitions,
        definition_of(
            R"J({"type": "object", "properties": {"spec": {"type": "array", )J" + list +
            R"J("items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}},
      "x-kubernetes-validations": [{"rule": "oldSelf == self"}]}}}})J")));
  };
  const std::string rule =
      "Invalid spec.validation.openAPIV3Schema.properties[spec].items.x-kubernetes-validations[0].rule";
  EXPECT_EQ(problems(""), Texts{rule});
  EXPECT_EQ(problems(R"("x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"], )"), Texts{});
}

TEST(Definitions, AnAppliedNullIsMeant) {
  const CustomKind kind = *custom_kind(definition_of(
      R"({"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}})"));
  for (const bool applied : {false, true}) {
    Tree thing = tree(R"({"metadata": {"name": "t", "namespace": "n"}, "size": null})");
    set_custom_defaults(kind.stored(), thing, applied);
    EXPECT_EQ(told(validate_custom_create(kind, kind.stored(), thing)),
              Texts{applied ? "TypeInvalid size" : "Required size"});
  }
}

TEST(Definitions, EveryFieldHasAType) {
  const Tree definition = definition_of(R"({"type": "object", "properties": {"spec": {}}})");
  EXPECT_EQ(told(validate_create(ResourceId::CustomResourceDefinitions, definition)),
            Texts{"Required spec.validation.openAPIV3Schema.properties[spec].type"});
}

TEST(CustomSchemas, TypesListsAndRules) {
  FieldProblems none;
  const CustomSchema schema = compile_schema(tree(R"({"type": "object", "required": ["name"], "properties": {
      "name": {"type": "string", "maxLength": 3, "pattern": "^[a-z]+$"}, "port": {"x-kubernetes-int-or-string": true},
      "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
      "sizes": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}}})"),
                                             none, "schema");
  ASSERT_EQ(none, FieldProblems{});
  const auto problems = [&](const std::string& json) {
    FieldProblems found;
    validate_by(schema, tree(json), nullptr, "spec", found);
    return told(found);
  };
  EXPECT_EQ(problems(R"({"name": "a", "port": "x", "tags": ["a"], "sizes": {"a": 1}})"), Texts{});
  EXPECT_EQ(problems(R"({"name": "B"})"), Texts{"Invalid spec.name"});
  EXPECT_EQ(problems(R"({"name": "abcd"})"), Texts{"TooLong spec.name"});
  EXPECT_EQ(problems(R"({})"), Texts{"Required spec.name"});
  EXPECT_EQ(problems(R"({"name": "a", "port": true})"), Texts{"TypeInvalid spec.port"});
  EXPECT_EQ(problems(R"({"name": "a", "tags": ["a", "a"]})"), Texts{"Duplicate spec.tags[1]"});
  EXPECT_EQ(problems(R"({"name": "a", "sizes": {"a": 0}})"), Texts{"Invalid spec.sizes.a"});
}

TEST(CustomSchemas, AWholeNumberIsHeldAgainstTheWholePartOfALimit) {
  FieldProblems none;
  const CustomSchema schema = compile_schema(
      tree(
          R"({"type": "object", "properties": {"n": {"type": "number", "maximum": 2.5, "exclusiveMaximum": true}}})"),
      none, "schema");
  const auto problems = [&](const std::string& number) {
    FieldProblems found;
    validate_by(schema, tree(R"({"n": )" + number + "}"), nullptr, "", found);
    return told(found);
  };
  EXPECT_EQ(problems("1"), Texts{});
  EXPECT_EQ(problems("2.25"), Texts{});
  EXPECT_EQ(problems("2"), Texts{"Invalid n"});
}

TEST(CustomSchemas, RulesThatCouldNotBeAskedAreMentioned) {
  FieldProblems none;
  const CustomSchema schema = compile_schema(
      tree(
          R"({"type": "object", "properties": {"n": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 1"}]},
      "s": {"type": "string"}}})"),
      none, "schema");
  FieldProblems found;
  validate_by(schema, tree(R"({"n": 2, "s": 3})"), nullptr, "", found);
  EXPECT_EQ(told(found), (Texts{"TypeInvalid s", "Invalid <nil>"}));
}

TEST(CustomSchemas, OfSeveralSchemasTheFirstTellsWhatIsMissing) {
  FieldProblems none;
  const CustomSchema schema = compile_schema(
      tree(R"({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
      "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})"),
      none, "schema");
  FieldProblems found;
  validate_by(schema, tree("{}"), nullptr, "", found);
  EXPECT_EQ(told(found), (Texts{"Invalid <nil>", "Required a"}));
}

Texts problems_of_schema(const std::string& spec) {
  FieldProblems problems;
  compile_schema(tree(R"({"type": "object", "properties": {"spec": )" + spec + "}}"), problems, "s");
  return told(problems);
}

// As kube-apiserver 1.36 has it.
TEST(Definitions, ADefaultIsJudgedBeforeOtherDefaultsAreSetInIt) {
  EXPECT_EQ(problems_of_schema(R"({"type": "object", "default": {}, "required": ["a"],
                                   "properties": {"a": {"type": "boolean", "default": true}}})"),
            Texts{"Required s.properties[spec].default.a"});
  EXPECT_EQ(problems_of_schema(R"({"type": "object", "default": {"a": false}, "required": ["a"],
                                   "properties": {"a": {"type": "boolean", "default": true}}})"),
            Texts{});
}

TEST(Definitions, RulesAreLookedAtIfDefaultsAreGood) {
  const std::string rule = R"("list": {"type": "array", "items": {"type": "object",
                              "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}})";
  EXPECT_EQ(problems_of_schema(R"({"type": "object", "properties": {)" + rule + "}}"),
            Texts{"Invalid s.properties[spec].properties[list].items.x-kubernetes-validations[0].rule"});
  EXPECT_EQ(problems_of_schema(R"({"type": "object", "default": {}, "required": ["list"], "properties": {)" +
                               rule + "}}"),
            Texts{"Required s.properties[spec].default.list"});
}

}  // namespace
}  // namespace tamp::world::api
