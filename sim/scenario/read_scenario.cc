#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "sim/scenario/scenario.h"
#include "wire/quantity.h"
#include "wire/yaml.h"

namespace tamp::world {
namespace {

using wire::Tree;

// Reads the members of one object, keeps the first error with the path to it, and refuses members that nobody asked for.
class Members {
 public:
  Members(const Tree& tree, std::string path) : tree_(tree), path_(std::move(path)) {
    if (!tree.is_object() && !tree.is_null()) fail("", "must be an object");
  }

  const Tree& raw(std::string_view key) {
    asked_.emplace_back(key);
    return tree_[key];
  }
  bool has(std::string_view key) const { return tree_.has(key); }

  std::string text(std::string_view key, std::string_view otherwise = {}) {
    const Tree& value = raw(key);
    if (value.is_null()) return std::string(otherwise);
    std::optional<std::string> scalar = scalar_of(value);
    if (!scalar) fail(key, "must be a text");
    return scalar.value_or("");
  }
  std::string word(std::string_view key, std::initializer_list<std::string_view> words,
                   std::string_view otherwise) {
    std::string found = text(key, otherwise);
    if (std::find(words.begin(), words.end(), found) != words.end()) return found;
    std::string list;
    for (std::string_view word : words)
      list += (list.empty() ? "" : ", ") + std::string(word.empty() ? "\"\"" : word);
    fail(key, "\"" + found + "\" is none of " + list);
    return found;
  }
  int number(std::string_view key, int otherwise, int least, int most) {
    const Tree& value = raw(key);
    if (value.is_null()) return otherwise;
    const std::int64_t number = value.integer(INT64_MIN);
    if (number < least || number > most)
      fail(key, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return static_cast<int>(std::clamp<std::int64_t>(number, least, most));
  }
  bool flag(std::string_view key, bool otherwise) {
    const Tree& value = raw(key);
    if (value.kind() != Tree::Kind::Boolean && !value.is_null()) fail(key, "must be true or false");
    return value.boolean(otherwise);
  }
  Duration span(std::string_view key, Duration otherwise) {
    const std::string found = text(key);
    if (found.empty()) return otherwise;
    auto parsed = parse_go_duration(found);
    if (!parsed) fail(key, parsed.error().message);
    return parsed.ok() ? *parsed : otherwise;
  }
  Choice choice(std::string_view key, std::string_view otherwise = {}) {
    const Tree& value = raw(key);
    Choice choice;
    if (value.is_array()) {
      for (const Tree& element : value.elements()) {
        std::optional<std::string> scalar = scalar_of(element);
        if (!scalar) fail(key, "must be texts or numbers");
        choice.values.push_back(scalar.value_or(""));
      }
      if (choice.values.empty()) fail(key, "has nothing to choose from");
      return choice;
    }
    const std::string found = text(key, otherwise);
    const std::size_t dots = found.find("..");
    if (dots == std::string::npos) {
      if (!found.empty()) choice.values = {found};
      return choice;
    }
    std::int64_t low = 0, high = 0;
    const char* middle = found.data() + dots;
    const char* end = found.data() + found.size();
    if (std::from_chars(found.data(), middle, low).ptr != middle ||
        std::from_chars(middle + 2, end, high).ptr != end || low > high)
      fail(key, "\"" + found + "\" is no range such as 2..8");
    choice.between = std::pair(low, std::max(low, high));
    return choice;
  }
  void quantities(std::string_view key, const Choice& choice) {
    for (const std::string& value : choice.values)
      if (auto parsed = wire::parse_quantity(value); !parsed.ok()) fail(key, parsed.error().message);
  }

  std::string place(std::string_view key) const {
    return path_.empty() ? std::string(key) : key.empty() ? path_ : path_ + "." + std::string(key);
  }
  void fail(std::string_view key, const std::string& message) {
    if (!error_) error_ = Error{place(key) + ": " + message};
  }
  // REQUIRES: everything was asked for.
  Status end() {
    for (const Tree::Member& member : tree_.members())
      if (std::find(asked_.begin(), asked_.end(), member.key) == asked_.end())
        fail(member.key, "is not known here");
    if (error_) return *error_;
    return success();
  }

 private:
  static std::optional<std::string> scalar_of(const Tree& value) {
    if (value.is_string()) return std::string(value.string());
    if (value.is_number()) return wire::to_json(value);
    return {};  // not true and false: who writes `name: n` or `name: no` means something else
  }

  const Tree& tree_;
  std::string path_;
  std::vector<std::string> asked_;
  std::optional<Error> error_;
};

// "08:30"
std::optional<Duration> time_of_day(std::string_view text) {
  int hours = 0, minutes = 0;
  if (text.size() != 5 || text[2] != ':') return {};
  const auto digits = [](std::string_view part, int& out) {
    return std::from_chars(part.data(), part.data() + part.size(), out).ptr == part.data() + part.size();
  };
  if (!digits(text.substr(0, 2), hours) || !digits(text.substr(3), minutes) || hours > 23 || minutes > 59)
    return {};
  return Duration::minutes(hours * 60 + minutes);
}

Result<Fleet> read_fleet(const Tree& tree, const std::string& path) {
  Members in(tree, path);
  Fleet fleet;
  fleet.count = in.number("count", 1, 0, 20'000);
  fleet.name = in.text("name", "node");
  fleet.pool = in.text("pool", "default");
  fleet.type = in.choice("type");
  if (!fleet.type.given()) in.fail("type", "is missing");
  fleet.zone = in.choice("zone");
  fleet.capacity_type = in.choice("capacityType", "on-demand");
  fleet.labels = in.raw("labels");
  fleet.taints = in.raw("taints");
  TAMP_CHECK(in.end());
  return fleet;
}

Result<WorkloadPlan> read_workload(const Tree& tree, const std::string& path) {
  Members in(tree, path);
  WorkloadPlan plan;
  plan.kind = in.word("kind", {"Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob"}, "Deployment");
  plan.ns = in.text("namespace", "default");
  plan.name = in.text("name");
  if (plan.name.empty()) in.fail("name", "is missing");
  plan.copies = in.number("copies", 1, 1, 10'000);
  plan.replicas = in.choice("replicas", "1");
  plan.cpu = in.choice("cpu");
  plan.memory = in.choice("memory");
  in.quantities("cpu", plan.cpu);
  in.quantities("memory", plan.memory);
  plan.cpu_limit = in.text("cpuLimit");
  plan.memory_limit = in.text("memoryLimit");
  plan.priority_class = in.text("priorityClass");
  plan.pool = in.text("pool");
  plan.spread = in.word("spread", {"", "zone", "host"}, "");
  plan.anti_affinity = in.word("antiAffinity", {"", "required", "preferred"}, "");
  plan.budget = in.raw("budget");
  plan.annotations = in.raw("annotations");
  plan.pod = in.raw("pod");
  plan.schedule = in.text("schedule");
  if (plan.kind == "CronJob" && plan.schedule.empty()) in.fail("schedule", "is missing");
  const Tree& behaviour = in.raw("behaviour");
  for (const Tree::Member& member : behaviour.members())
    plan.behaviour.emplace_back(member.key, member.value.is_string() ? std::string(member.value.string())
                                                                     : wire::to_json(member.value));
  const Tree& day = in.raw("day");
  for (const Tree::Member& member : day.members()) {
    const std::optional<Duration> from = time_of_day(member.key);
    if (!from) in.fail("day." + member.key, "is no time of day such as 08:30");
    const std::int64_t replicas = member.value.integer(-1);
    if (replicas < 0 || replicas > 100'000) in.fail("day." + member.key, "is no number of replicas");
    plan.day.emplace_back(from.value_or(Duration{}), static_cast<int>(replicas));
  }
  std::sort(plan.day.begin(), plan.day.end());
  TAMP_CHECK(in.end());
  return plan;
}

// What can happen; the director knows how (director.cc).
constexpr std::string_view kDeeds[] = {"scale",    "image",       "apply",        "delete", "cordon",
                                       "uncordon", "stopKubelet", "startKubelet", "reboot", "removeNode",
                                       "agent",    "annotate",    "say"};

Result<Happening> read_happening(const Tree& tree, const std::string& path) {
  Members in(tree, path);
  Happening happening;
  happening.at = in.span("at", Duration{});
  if (!in.has("at")) in.fail("at", "is missing");
  if (in.has("every")) {
    happening.every = in.span("every", Duration{});
    if (happening.every->ns <= 0) in.fail("every", "must be more than nothing");
  }
  int deeds = 0;
  for (std::string_view deed : kDeeds) deeds += tree.has(deed) ? 1 : 0;
  if (deeds != 1) in.fail("", "must say one thing that happens");
  for (const Tree::Member& member : tree.members())
    if (member.key != "at" && member.key != "every") happening.what.set(member.key, in.raw(member.key));
  TAMP_CHECK(in.end());
  return happening;
}

template <typename T, typename Read>
Status read_list(Members& in, std::string_view key, std::vector<T>& out, const Read& read) {
  const Tree& list = in.raw(key);
  if (!list.is_array() && !list.is_null()) return Error{in.place(key) + ": must be a list"};
  for (std::size_t i = 0; i < list.elements().size(); ++i) {
    TAMP_TRY(T element, read(list.elements()[i], in.place(key) + "[" + std::to_string(i) + "]"));
    out.push_back(std::move(element));
  }
  return success();
}

}  // namespace

Result<Scenario> read_scenario(const std::string& bytes) {
  TAMP_TRY(const std::vector<std::string> documents, wire::yaml_to_json(bytes));
  if (documents.size() != 1)
    return Error{"a scenario is one document, not " + std::to_string(documents.size())};
  TAMP_TRY(const Tree tree, wire::read_tree(documents.front()));
  Members in(tree, "");
  Scenario scenario;
  scenario.name = in.text("name");
  if (scenario.name.empty()) in.fail("name", "is missing");
  scenario.title = in.text("title", scenario.name);
  scenario.text = in.text("text");
  auto start = parse_rfc3339(in.text("start", "2026-11-15T09:00:00Z"));
  if (!start) in.fail("start", start.error().message);
  if (start.ok()) scenario.start = *start;
  scenario.warmup = in.span("warmup", Duration::minutes(30));
  scenario.length = in.span("length", Duration::hours(1));
  scenario.autoscaler = in.raw("autoscaler");
  const Tree& kind = scenario.autoscaler["kind"];
  if (kind.string() != "Karpenter" && kind.string() != "ClusterAutoscaler" && kind.string() != "None")
    in.fail("autoscaler.kind", "must be Karpenter, ClusterAutoscaler or None");
  scenario.machines = in.raw("machines");
  scenario.agents = in.flag("agents", false);
  TAMP_CHECK(read_list(in, "objects", scenario.objects,
                       [](const Tree& object, const std::string& path) -> Result<Tree> {
                         if (object["kind"].string().empty() || object["metadata"]["name"].string().empty())
                           return Error{path + ": an object needs kind and metadata.name"};
                         return object;
                       }));
  TAMP_CHECK(read_list(in, "nodes", scenario.fleets, read_fleet));
  TAMP_CHECK(read_list(in, "workloads", scenario.workloads, read_workload));
  TAMP_CHECK(read_list(in, "events", scenario.happenings, read_happening));
  TAMP_CHECK(in.end());
  return scenario;
}

}  // namespace tamp::world
