// Runs the cases: every file under karpenter/ is a small cluster and the decision that Karpenter takes on it, decided here
// under --compat karpenter-1.14 and by way of the text that a cluster would print. See README.md.
//
// With TAMP_CASES_DUMP=DIR each case leaves DIR/<case>.json and DIR/<case>.types.json, for the real engine to judge.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cases/catalogue_text.h"
#include "cases/snapshot_text.h"
#include "cases/yaml_json.h"
#include "search/plan.h"
#include "situation/resolve_settings.h"
#include "support/words.h"
#include "wire/snapshot.h"

namespace tamp::cases {
namespace {

namespace fs = std::filesystem;

struct CaseFile {
  std::string name;
  fs::path path;
};
void PrintTo(const CaseFile& file, std::ostream* out) { *out << file.path.filename().string(); }

std::vector<CaseFile> case_files() {
  std::vector<CaseFile> files;
  for (const auto& entry : fs::directory_iterator(fs::path(TAMP_SOURCE_DIR) / "test/cases/karpenter"))
    if (entry.path().extension() == ".yaml") {
      std::string name = entry.path().stem().string();
      std::replace(name.begin(), name.end(), '-', '_');
      files.push_back({std::move(name), entry.path()});
    }
  std::sort(files.begin(), files.end(), [](const CaseFile& a, const CaseFile& b) { return a.name < b.name; });
  return files;
}

void dump(const fs::path& path, const std::string& snapshot, const std::string& types) {
  const char* dir = std::getenv("TAMP_CASES_DUMP");
  if (!dir) return;
  fs::path stem = fs::path(dir) / path.stem();
  std::ofstream(stem.string() + ".json") << snapshot;
  std::ofstream(stem.string() + ".types.json") << types;
}

struct Decided {
  Cluster cluster;
  Settings settings;
};

std::optional<Decided> read(const YAML::Node& example, const fs::path& path) {
  wire::Inputs inputs;
  inputs.objects.push_back({"cluster", snapshot_text(example, test::kNow)});
  inputs.instance_types = wire::Input{"types", catalogue_text(example["catalogue"])};
  dump(path, inputs.objects[0].bytes, inputs.instance_types->bytes);
  auto reading = wire::read_snapshot(inputs);
  if (!reading.ok()) {
    ADD_FAILURE() << reading.error().message;
    return std::nullopt;
  }
  EXPECT_TRUE(reading->warnings.empty()) << reading->warnings.front();
  FlagSettings flags;
  flags.karpenter_compat = true;
  flags.spot_to_spot = {flag(example, "spotToSpot", true), SettingSource::Flag};
  flags.preferences = {text(example, "preferences", "Respect") == "Ignore" ? PreferencePolicy::Ignore
                                                                           : PreferencePolicy::Respect,
                       SettingSource::Flag};
  Settings settings = situation::resolve_settings(reading->cluster, flags);
  return Decided{std::move(reading->cluster), std::move(settings)};
}

search::PlanOptions options_of(const YAML::Node& example) {
  const std::string method = text(example, "method", "all");
  search::PlanOptions options;
  if (method == "all") return options;
  options.empty = method == "empty";
  options.multi = method == "multi";
  options.single = method == "single";
  return options;
}

// --- What is expected ---------------------------------------------------------------------------------------------

std::string name_of(const Cluster& c, NodeId n) { return std::string(c.text(c.nodes[n.index()].name)); }
std::string name_of(const Cluster& c, TypeId t) {
  return std::string(c.text(c.catalogue->types[t.index()].name));
}

void expect_replacement(const YAML::Node& expected, const Cluster& c, const price::Replacement& r) {
  std::set<std::string> types;
  for (TypeId t : r.types) types.insert(name_of(c, t));
  const YAML::Node wanted = expected["types"];
  if (wanted && wanted.IsSequence()) {
    std::set<std::string> exactly;
    for (const auto& t : wanted) exactly.insert(type_name(t.Scalar()));
    EXPECT_EQ(types, exactly);
  } else if (wanted && wanted.IsMap()) {
    if (wanted["count"]) {
      EXPECT_EQ(types.size(), wanted["count"].as<std::size_t>());
    }
    for (const auto& t : wanted["include"]) EXPECT_TRUE(types.contains(type_name(t.Scalar()))) << t.Scalar();
    for (const auto& t : wanted["exclude"]) EXPECT_FALSE(types.contains(type_name(t.Scalar()))) << t.Scalar();
    for (TypeId t : r.types)
      for (const Offering& o : c.catalogue->types[t.index()].offerings)
        if (wanted["below"]) {
          EXPECT_LT(o.dollars, wanted["below"].as<double>()) << name_of(c, t);
        }
  }
  auto expect_set = [&](const char* key, const std::vector<Symbol>& symbols) {
    if (!expected[key]) return;
    std::vector<std::string> texts;
    for (Symbol s : symbols) texts.emplace_back(c.text(s));
    EXPECT_EQ(texts, expected[key].as<std::vector<std::string>>()) << key;
  };
  expect_set("capacityTypes", r.capacity_types);
  expect_set("zones", r.zones);
}

void expect_command(const YAML::Node& expected, const Cluster& c, const price::Command& command) {
  constexpr const char* kMethods[] = {"empty", "multi", "single"};
  if (expected["method"]) {
    EXPECT_EQ(kMethods[static_cast<std::size_t>(command.method)], expected["method"].Scalar());
  }
  EXPECT_EQ(command.replaces() ? "replace" : "delete", expected["decision"].Scalar());
  std::vector<std::string> nodes;
  for (NodeId n : command.nodes) nodes.push_back(name_of(c, n));
  std::sort(nodes.begin(), nodes.end());
  if (expected["nodes"].IsSequence()) {
    EXPECT_EQ(nodes, expected["nodes"].as<std::vector<std::string>>());
  } else {
    EXPECT_EQ(nodes.size(), expected["nodes"].as<std::size_t>());
  }
  if (expected["perPool"]) {
    std::map<std::string, std::size_t> by_pool;
    for (NodeId n : command.nodes)
      ++by_pool[std::string(c.text(c.nodes[n.index()].labels.get(c.known.nodepool)))];
    for (const auto& [pool, count] : by_pool) EXPECT_EQ(count, expected["perPool"].as<std::size_t>()) << pool;
  }
  if (expected["savings"]) {
    EXPECT_NEAR(command.savings.dollars(), expected["savings"].as<double>(), 1e-6);
  }
  if (command.replaces()) expect_replacement(expected, c, command.replacements.front());
}

std::string verdict_word(const search::NodeVerdict& v) {
  if (v.verdict == search::Verdict::Command) return "command";
  return v.verdict == search::Verdict::Eligible ? "eligible" : std::string(gates::name(v.reason));
}

class KarpenterCase : public testing::TestWithParam<CaseFile> {};

// What a new decision says of a command on a later cluster: "holds", the reason of the first gate that now keeps one of its nodes,
// or "changed".
std::string decided_later(const situation::Context& newer, const Cluster& cluster_then,
                          const price::Command& command) {
  const std::vector<gates::Candidate> candidates = gates::assess_nodes(newer);
  std::vector<NodeId> victims;
  for (const NodeId then : command.nodes) {
    const NodeId node = newer.cluster.find_node(cluster_then.text(cluster_then.nodes[then.index()].name));
    if (!node.valid()) return "changed";
    const gates::Candidate& candidate = candidates[node.index()];
    if (!candidate.eligible()) return std::string(gates::name(candidate.blocked));
    if (command.method == price::Method::Empty && !candidate.empty)
      return std::string(gates::name(gates::Reason::NotEmpty));
    victims.push_back(node);
  }
  const search::Plan plan = search::make_plan(newer, {});
  if (plan.commands.empty()) return "changed";
  const price::Command& now = plan.commands.front();
  return now.nodes == victims && now.replaces() == command.replaces() ? "holds" : "changed";
}

TEST_P(KarpenterCase, DecidesAsKarpenterDoes) {
  const YAML::Node example = YAML::LoadFile(GetParam().path.string());
  const YAML::Node expected = example["expect"];
  ASSERT_TRUE(expected["decision"]) << "a case must say what is expected";
  SCOPED_TRACE(text(example, "name"));

  const auto now = read(example, GetParam().path);
  ASSERT_TRUE(now);
  const situation::Context context{now->cluster, now->settings, test::kNow, std::nullopt, NodeId()};
  const search::Plan plan = search::make_plan(context, options_of(example));

  if (expected["decision"].Scalar() == "none") {
    for (const auto& c : plan.commands) ADD_FAILURE() << "a command over " << c.nodes.size() << " nodes";
  } else {
    ASSERT_EQ(plan.commands.size(), 1u) << plan.nodes.front().message;
    expect_command(expected, now->cluster, plan.commands[0]);
  }
  for (const auto& entry : expected["verdicts"]) {
    const NodeId node = now->cluster.find_node(entry.first.Scalar());
    ASSERT_TRUE(node.valid()) << entry.first.Scalar();
    EXPECT_EQ(verdict_word(plan.nodes[node.index()]), entry.second.Scalar())
        << plan.nodes[node.index()].message;
  }

  if (!example["later"]) return;
  ASSERT_EQ(plan.commands.size(), 1u);
  const auto then = read(later(example), fs::path(GetParam().path).replace_extension(".later.yaml"));
  ASSERT_TRUE(then);
  const situation::Context newer{then->cluster, then->settings, test::kNow + Duration::seconds(15),
                                 std::nullopt, NodeId()};
  EXPECT_EQ(decided_later(newer, now->cluster, plan.commands[0]), expected["later"].Scalar());
}

INSTANTIATE_TEST_SUITE_P(Files, KarpenterCase, testing::ValuesIn(case_files()),
                         [](const auto& file) { return file.param.name; });

}  // namespace
}  // namespace tamp::cases
