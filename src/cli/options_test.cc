#include "cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/flags.h"

namespace tamp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Options> parse(std::vector<const char*> arguments,
                      std::map<std::string, std::string> environment = {}) {
  return parse_options(arguments, [&](const std::string& name) {
    const auto it = environment.find(name);
    return it == environment.end() ? std::nullopt : std::optional(it->second);
  });
}

std::string error_of(std::vector<const char*> arguments,
                     std::map<std::string, std::string> environment = {}) {
  const Result<Options> options = parse(std::move(arguments), std::move(environment));
  return options.ok() ? "" : options.error().message;
}

TEST(Options, PlanTakesFilesInOrderAndSettingsWithTheirSource) {
  const auto o =
      parse({"tamp", "plan", "-f", "a.json", "--filename=b.yaml", "-f", "-", "--method", "multi", "--every",
             "-o", "json", "--scaledown-utilization-threshold", "0.5", "--now", "2026-11-15T00:00:00Z"});
  ASSERT_TRUE(o.ok()) << o.error().message;
  EXPECT_EQ(o->verb, Verb::Plan);
  EXPECT_THAT(o->files, ElementsAre("a.json", "b.yaml", "-"));
  EXPECT_TRUE(o->plan.multi && !o->plan.empty && !o->plan.single && o->plan.every);
  EXPECT_EQ(o->format, Format::Json);
  EXPECT_EQ(o->settings.utilization_threshold->value, 0.5);
  EXPECT_EQ(o->settings.utilization_threshold->source, SettingSource::Flag);
  EXPECT_EQ(format_rfc3339(*o->now), "2026-11-15T00:00:00Z");
}

TEST(Options, TheEnvironmentFillsInWhatNoFlagSays) {
  const auto o = parse({"tamp", "plan", "--preference-policy", "Ignore"},
                       {{"FILENAME", "a.json,b.json"},
                        {"SCALE_DOWN_UTILIZATION_THRESHOLD", "0.9"},
                        {"PREFERENCE_POLICY", "Respect"},
                        {"FEATURE_GATES", "NodeRepair=false,SpotToSpotConsolidation=true"},
                        {"EVERY", "true"}});
  ASSERT_TRUE(o.ok()) << o.error().message;
  EXPECT_THAT(o->files, ElementsAre("a.json", "b.json"));
  EXPECT_EQ(o->settings.utilization_threshold->source, SettingSource::Environment);
  EXPECT_EQ(o->settings.preferences->value, PreferencePolicy::Ignore);
  EXPECT_TRUE(o->settings.spot_to_spot->value);
  EXPECT_THAT(o->notes, ElementsAre(HasSubstr("NodeRepair")));
  EXPECT_TRUE(o->plan.every);
}

TEST(Options, BadValuesNameTheFlagOrTheVariable) {
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--now", "today"}),
              HasSubstr("--now: \"today\" is not a time"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x"}, {{"SAVINGS_THRESHOLD", "-1"}}),
              HasSubstr("environment variable SAVINGS_THRESHOLD: \"-1\" is not"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--scaledown-utilization-threshold", "1.01"}),
              HasSubstr("from 0 to 1"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--savings-threshold", "nan"}),
              HasSubstr("is not a number"));
  for (const char* count : {"0", "1.5", "two"})
    EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--max-replacements", count}),
                HasSubstr("a whole number from 1 to 100"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--max-replacements", "2", "--planner", "SLO"}),
              HasSubstr("a run makes one new node"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--max-replacements", "2", "--compat", "karpenter-1.14"}),
              HasSubstr("replaces nodes by one"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--method", "best"}),
              HasSubstr("all, empty, multi or single"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--compat", "karpenter-0.1"}),
              HasSubstr("karpenter-1.14"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "-o", "xml"}), HasSubstr("table, json or yaml"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--feature-gates", "SpotToSpotConsolidation"}),
              HasSubstr("NAME=true"));
  EXPECT_THAT(
      error_of({"tamp", "plan", "-f", "x", "--now", "2026-11-15T00:00:00Z", "--now", "2026-11-16T00:00:00Z"}),
      HasSubstr("more than once"));
  EXPECT_THAT(error_of({"tamp", "plan", "--nonsense"}), HasSubstr("--nonsense"));
  EXPECT_THAT(error_of({"tamp", "dance"}), HasSubstr("dance"));
}

TEST(Options, PlannerSloProvesFromMeasurements) {
  const auto slo = parse({"tamp", "plan", "-f", "x", "--planner", "SLO", "--observe", "o.json"});
  ASSERT_TRUE(slo.ok());
  EXPECT_TRUE(slo->slo);
  EXPECT_EQ(slo->observe, "o.json");
  EXPECT_FALSE(parse({"tamp", "plan", "-f", "x", "--planner", "Requests"})->slo);
  EXPECT_THAT(parse({"tamp", "plan", "-f", "x", "--observe", "o.json"})->notes,
              ::testing::ElementsAre("--observe has no effect without --planner SLO"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--planner", "slo"}), HasSubstr("Requests or SLO"));
  EXPECT_THAT(error_of({"tamp", "explain", "a", "-f", "x", "--planner", "SLO"}), HasSubstr("tamp plan"));
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--planner", "SLO", "--compat", "karpenter-1.14"}),
              HasSubstr("knows no measurements"));
  EXPECT_TRUE(parse({"tamp", "plan", "-f", "x", "--planner", "Requests"})->planner_given);
}

TEST(Options, WithoutAFileTheClusterIsLive) {
  const auto options = parse({"tamp", "plan", "--context", "prod", "--kubeconfig", "k"});
  ASSERT_TRUE(options.ok());
  EXPECT_TRUE(options->files.empty());
  EXPECT_EQ(options->context, "prod");
  EXPECT_EQ(options->kubeconfig, "k");
  EXPECT_THAT(error_of({"tamp", "plan", "-f", "x", "--context", "prod"}), HasSubstr("not both"));
}

TEST(Options, TheHelpHasACommandLineThatHandsInWhatKubectlPrints) {
  EXPECT_THAT(parse({"tamp"})->help, HasSubstr("kubectl get nodes,pods,"));
  EXPECT_THAT(parse({"tamp"})->help, HasSubstr("-A -o json | tamp plan -f -"));
}

TEST(Options, TheControllerHasFlagsOfItsOwn) {
  const auto options = parse({"tamp", "controller", "--poll-interval", "2s", "--webhook-address", ":9443"});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->verb, Verb::Controller);
  EXPECT_EQ(options->controller.poll_interval, Duration::seconds(2));
  EXPECT_EQ(options->controller.webhook_address, ":9443");
  EXPECT_THAT(error_of({"tamp", "controller", "--poll-interval", "2ms"}), HasSubstr("1s or more"));
  EXPECT_THAT(error_of({"tamp", "controller", "-f", "x"}), HasSubstr("-f"));
}

TEST(Options, ASnapshotGoesToAFileOrToStandardOutput) {
  EXPECT_EQ(parse({"tamp", "snapshot", "cluster.json", "--mask"})->subject, "cluster.json");
  EXPECT_TRUE(parse({"tamp", "snapshot", "cluster.json", "--mask"})->mask);
  EXPECT_EQ(parse({"tamp", "snapshot"})->subject, "");
}

TEST(Options, ExplainAndFitsNeedASubject) {
  EXPECT_EQ(parse({"tamp", "explain", "node-1", "-f", "x"})->subject, "node-1");
  EXPECT_EQ(parse({"tamp", "fits", "-f", "x", "shop/web"})->subject, "shop/web");
  EXPECT_TRUE(parse({"tamp", "fits", "--all", "-f", "x"})->all_pods);
  EXPECT_THAT(error_of({"tamp", "explain", "-f", "x"}), HasSubstr("which node?"));
  EXPECT_THAT(error_of({"tamp", "fits", "-f", "x"}), HasSubstr("--all"));
  EXPECT_THAT(error_of({"tamp", "fits", "--all", "web", "-f", "x"}), HasSubstr("--all"));
}

TEST(Options, AnUnknownCommandIsNamed) {
  EXPECT_THAT(error_of({"tamp", "plna", "-f", "a.json"}), HasSubstr("there is no command plna"));
  EXPECT_THAT(error_of({"tamp", "plan", "surplus"}), HasSubstr("surplus"));
  EXPECT_THAT(error_of({"tamp", "--fast"}), HasSubstr("--fast"));
}

TEST(Options, HelpListsEveryFlagWithItsVariable) {
  EXPECT_EQ(parse({"tamp"})->verb, Verb::Help);
  EXPECT_EQ(parse({"tamp", "--version"})->verb, Verb::Version);
  EXPECT_THAT(parse({"/usr/bin/kubectl-tamp", "--help"})->help, HasSubstr("kubectl tamp plan"));
  const auto help = parse({"tamp", "plan", "--help"});
  ASSERT_TRUE(help.ok());
  EXPECT_EQ(help->verb, Verb::Help);
  for (const Flag& flag : flags())
    if ((flag.commands & kPlan) != 0) {
      EXPECT_THAT(help->help, HasSubstr(flag.name));
      if (flag.environment[0] != '\0') {
        EXPECT_THAT(help->help, HasSubstr(std::string("[") + flag.environment + "]"));
      }
    }
}

// --kebab-case has the variable KEBAB_CASE, but for the one name that a design fixed, and for KUBECONFIG, which may list
// several files and has its own reader.
TEST(Options, EveryFlagHasItsVariable) {
  for (const Flag& flag : flags()) {
    std::string expected;
    for (const char* c = flag.name + 2; *c != '\0'; ++c)
      expected += *c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
    if (expected == "SCALEDOWN_UTILIZATION_THRESHOLD") expected = "SCALE_DOWN_UTILIZATION_THRESHOLD";
    EXPECT_EQ(flag.environment, expected == "KUBECONFIG" ? "" : expected);
  }
}

}  // namespace
}  // namespace tamp::cli
