#include "run/stage_for_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "documents/claim_body.h"
#include "documents/marks.h"
#include "documents/run_document.h"
#include "run/guards.h"
#include "run/reasons.h"
#include "situation/resolve_settings.h"
#include "wire/snapshot.h"

namespace tamp::run {
namespace {

using wire::Tree;

Tree parse(const std::string& json) {
  auto tree = wire::read_tree(json);
  EXPECT_TRUE(tree) << json;
  return std::move(*tree);
}

std::string key_of(std::string_view path) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '~' && i + 1 < path.size()) {
      out += path[++i] == '0' ? '~' : '/';
    } else {
      out += path[i];
    }
  }
  return out;
}

// A JSON patch of the operations that edits use.
bool apply(Tree& root, const std::vector<PatchOperation>& operations) {
  for (const PatchOperation& o : operations) {
    Tree* at = &root;
    std::string_view path = std::string_view(o.path).substr(1);
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
      at = at->find(key_of(path.substr(0, slash)));
      if (at == nullptr) return false;
      path = path.substr(slash + 1);
    }
    const std::string key = key_of(path);
    if (o.op == "test") {
      if (!((*at)[key] == parse(o.value))) return false;
    } else if (o.op == "remove" && at->is_array()) {
      at->elements().erase(at->elements().begin() + std::stol(key));
    } else if (o.op == "remove") {
      if (!at->erase(key)) return false;
    } else if (at->is_array()) {
      EXPECT_EQ(key, "-");
      at->append(parse(o.value));
    } else {
      at->set(key, parse(o.value));
    }
  }
  return true;
}

std::string condition(std::string_view type, bool is_true) {
  return fmt::format(R"({{"type":"{}","status":"{}","lastTransitionTime":"2026-11-01T00:00:00Z"}})", type,
                     is_true ? "True" : "False");
}

Conclusion failed(std::string reason) { return {MutationState::Failed, std::move(reason), "", "", {}, {}}; }
Conclusion done() { return {MutationState::Done, "", "", "", {}, {}}; }

bool daemon(const Tree& pod) {
  return pod.at({"metadata", "ownerReferences"}).size() > 0 &&
         pod.at({"metadata", "ownerReferences"}).elements()[0]["kind"].string() == "DaemonSet";
}

constexpr const char* kPool =
    R"({"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"default","uid":"uid-pool"},"spec":{"template":{
  "metadata":{"labels":{"team":"shop"}},"spec":{"nodeClassRef":{"group":"karpenter.kwok.sh","kind":"KWOKNodeClass","name":"small"},
  "requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":["spot","on-demand"]}]}}}})";

}  // namespace

Stage::Stage() {
  limits.settle = Duration::seconds(30);
  run.name = "run-1";
  run.uid = "uid-run-1";
  run.plan_hash = "hash";
  run.approved_by = "ada";
  run.source = "test";
  run.approved_at = now;
}

void Stage::add_node(const std::string& name, std::int64_t cpu) {
  nodes_[name] = parse(fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{0}","uid":"uid-{0}","resourceVersion":"1",
"creationTimestamp":"2026-11-01T00:00:00Z","labels":{{"kubernetes.io/hostname":"{0}","karpenter.sh/nodepool":"default",
"karpenter.sh/initialized":"true","karpenter.sh/registered":"true"}}}},"spec":{{"providerID":"kwok://{0}"}},
"status":{{"capacity":{{"cpu":"{1}m","memory":"64Gi","pods":"110"}},"conditions":[{2}]}}}})",
      name, cpu, condition("Ready", true)));
  claims_["claim-" + name] = parse(fmt::format(
      R"({{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{{"name":"claim-{0}","uid":"uid-claim-{0}","resourceVersion":"1",
"creationTimestamp":"2026-11-01T00:00:00Z","labels":{{"karpenter.sh/nodepool":"default"}}}},"spec":{{}},
"status":{{"providerID":"kwok://{0}","nodeName":"{0}","conditions":[{1},{2}]}}}})",
      name, condition("Registered", true), condition("Initialized", true)));
}

void Stage::add_pod(const StagedPod& p) {
  Tree pod = parse(fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{0}","namespace":"default","uid":"uid-{0}-{1}",
"creationTimestamp":"{2}","labels":{{"app":"{3}"}}}},"spec":{{"terminationGracePeriodSeconds":30,
"containers":[{{"name":"c","resources":{{"requests":{{"cpu":"{4}m","memory":"64Mi"}}}}}}]}},"status":{{"phase":"Pending"}}}})",
      p.name, ++serial_, format_rfc3339(now), p.app, p.cpu_millis));
  if (p.priority) {
    pod.ensure({"spec", "priority"}) = std::int64_t{*p.priority};
    pod.ensure({"spec", "priorityClassName"}) = fmt::format("class-{}", *p.priority);
  }
  if (!p.app.empty()) {
    pod.ensure({"metadata", "ownerReferences"})
        .append(Tree::object({{"apiVersion", "apps/v1"},
                              {"kind", "ReplicaSet"},
                              {"name", p.app},
                              {"uid", "uid-set-" + p.app},
                              {"controller", true}}));
    Tree& set = sets_[p.app];
    if (set.is_null())
      set = parse(fmt::format(
          R"({{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{{"name":"{0}","namespace":"default","uid":"uid-set-{0}"}},
"spec":{{"replicas":0,"selector":{{"matchLabels":{{"app":"{0}"}}}},"template":{{"metadata":{{"labels":{{"app":"{0}"}}}},
"spec":{{"containers":[{{"name":"c"}}]}}}}}},"status":{{}}}})",
          p.app));
    if (!p.node.empty()) {
      Tree& replicas = set.ensure({"spec", "replicas"});
      replicas = replicas.integer() + 1;
    }
  }
  if (!p.node.empty()) {
    pod.ensure({"spec", "nodeName"}) = p.node;
    pod.ensure("status") = parse(fmt::format(R"({{"phase":"Running","startTime":"{}","conditions":[{}]}})",
                                             format_rfc3339(now), condition("Ready", true)));
  }
  pods_[p.name] = std::move(pod);
}

std::set<std::string> Stage::pods_on(const std::string& node) const {
  std::set<std::string> names;
  for (const auto& [name, pod] : pods_)
    if (pod.at({"spec", "nodeName"}).string() == node && !daemon(pod)) names.insert(name);
  return names;
}

std::size_t Stage::stopping() const {
  return static_cast<std::size_t>(std::count_if(pods_.begin(), pods_.end(), [](const auto& p) {
    return p.second.at({"metadata", "deletionTimestamp"}).is_string();
  }));
}

bool Stage::schedulable(const std::string& name) const {
  const Tree& node = nodes_.at(name);
  return !node.at({"spec", "unschedulable"}).boolean() && node.at({"spec", "taints"}).empty();
}

bool Stage::annotated(const std::string& node, std::string_view key) const {
  return nodes_.at(node).at({"metadata", "annotations"}).has(key);
}

std::string Stage::marks() const {
  std::string out;
  for (const auto* objects : {&nodes_, &claims_}) {
    for (const auto& [name, object] : *objects) {
      Tree shown = Tree::object();
      const Tree& annotations = object.at({"metadata", "annotations"});
      shown.set("annotations", annotations.empty() ? Tree() : annotations);
      shown.set("labels", object.at({"metadata", "labels"}));
      const Tree& taints = object.at({"spec", "taints"});
      shown.set("taints", taints.empty() ? Tree() : taints);
      shown.set("unschedulable", object.at({"spec", "unschedulable"}).boolean());
      out += name + " " + wire::to_json(shown) + "\n";
    }
  }
  return out;
}

void Stage::scale(const std::string& app, std::int64_t replicas) {
  sets_.at(app).ensure({"spec", "replicas"}) = replicas;
}

void Stage::restart(const std::string& name, std::int64_t times) {
  pod(name).ensure({"status", "containerStatuses"}) =
      parse(fmt::format(R"([{{"name":"c","restartCount":{},"state":{{}}}}])", times));
}

void Stage::crash_loop(const std::string& name, std::int64_t restarts) {
  restart(name, restarts);
  pod(name)
      .ensure({"status", "containerStatuses"})
      .elements()[0]
      .ensure({"state", "waiting"})
      .set("reason", "CrashLoopBackOff");
}

void Stage::remove_node(const std::string& name) {
  for (const std::string& pod : pods_on(name)) pods_.erase(pod);
  nodes_.erase(name);
  std::erase_if(claims_, [&](const auto& c) { return c.second.at({"status", "nodeName"}).string() == name; });
}

Cluster Stage::cluster() const {
  wire::Inputs inputs;
  std::string text = R"({"apiVersion":"v1","kind":"List","items":[)" + std::string(kPool);
  for (const auto* objects : {&nodes_, &pods_, &claims_, &sets_})
    for (const auto& [name, object] : *objects) text += "," + wire::to_json(object);
  inputs.objects.push_back({"stage", text + "]}"});
  auto reading = wire::read_snapshot(inputs);
  EXPECT_TRUE(reading) << (reading ? "" : reading.error().message);
  return std::move(reading->cluster);
}

Observations Stage::observations(const Cluster& cluster) const {
  Observations all;
  if (!measures) return all;
  for (const Node& node : cluster.nodes) {
    Observation o;
    o.node = cluster.text(node.name);
    o.at = now - observation_age;
    o.cores = 8;
    o.memory_bytes = std::int64_t{64} << 30;
    for (const PodId id : node.pods) {
      const Pod& pod = cluster.pods[id.index()];
      PodObservation p;
      p.ns = cluster.text(pod.ns);
      p.name = cluster.text(pod.name);
      p.uid = cluster.text(pod.uid);
      p.samples = samples;
      p.age_s = reading_age;
      p.cpu_corrected = p.memory.some = p.io.some = {pressure, pressure, pressure};
      if (windows && p.name == pressed_pod) p.cpu_corrected = *windows;
      o.pods.push_back(std::move(p));
    }
    all.push_back(std::move(o));
  }
  return all;
}

proof::ConsolidationPlan Stage::plan(const std::vector<std::string>& victims, bool with_replacement) const {
  proof::ConsolidationPlan plan;
  plan.hash = "hash";
  plan.victims = victims;
  plan.hourly_savings = Money::from_dollars(0.134);
  plan.created = now;
  plan.expires = now + Duration::minutes(30);
  const Cluster c = cluster();
  for (const Node& node : c.nodes)
    if (const std::string name(c.text(node.name));
        std::find(victims.begin(), victims.end(), name) == victims.end())
      plan.survivors.push_back(name);
  if (with_replacement) plan.replacements = {{"default", {"s-4x"}, {"spot"}, {"zone-a"}, {}}};
  for (const Pod& pod : c.pods) {
    if (!pod.bound() || pod.daemon()) continue;
    const std::string from(c.text(c.nodes[pod.node.index()].name));
    if (std::find(victims.begin(), victims.end(), from) == victims.end()) continue;
    plan.moves.push_back({std::string(c.text(pod.ns)), std::string(c.text(pod.name)),
                          std::string(c.text(pod.uid)), tier_of(pod, c.spec(pod)), from,
                          with_replacement ? "replacement" : plan.survivors.front()});
  }
  std::stable_sort(plan.moves.begin(), plan.moves.end(),
                   [](const auto& a, const auto& b) { return a.tier > b.tier; });
  return plan;
}

void Stage::approve(const std::vector<std::string>& victims, bool with_replacement) {
  const proof::ConsolidationPlan approved = plan(victims, with_replacement);
  Desk desk;
  desk.plan = &approved;
  take_in(run, desk, cluster(), documents::status_bytes, now);
}

Step Stage::look() {
  const Cluster c = cluster();
  const Settings settings = situation::resolve_settings(c, {});
  const Observations seen = observations(c);
  Sight sight{now,    c,           distrust,     settings,   limits,
              seen,   application, std::nullopt, NodeId(),   policy_present,
              acts,   paused,      revalidation, rehearsals, evictions_left,
              resting};
  const Step step = advance(run, sight);
  const bool evicts =
      std::any_of(step.run.journal.entries.begin(), step.run.journal.entries.end(),
                  [](const Mutation& m) { return m.kind == MutationKind::Evict && m.open(); });
  if (evicts) {
    Run copy = step.run;
    EXPECT_TRUE(run::look(copy, sight).empty()) << "no eviction while a guard is not fine";
    EXPECT_EQ(step.run.phase, Phase::Draining);
    EXPECT_EQ(step.run.guards.tripped, "");
  }
  // The same sight once more changes nothing; and the same run on the same sight gives the same answer.
  const Step again = advance(step.run, sight);
  EXPECT_FALSE(again.changed) << documents::write_status(again.run) << "\n"
                              << documents::write_status(step.run);
  if (answers_rehearsals)
    for (const std::size_t i : step.rehearse) rehearsals[step.run.moves.at(i).uid] = done();
  return step;
}

std::string Stage::stored() const {
  Tree object = Tree::object({{"apiVersion", "temper.codes/v1alpha1"}, {"kind", "ConsolidationRun"}});
  object.ensure({"metadata", "name"}) = run.name;
  object.ensure({"metadata", "uid"}) = run.uid;
  object.ensure({"metadata", "creationTimestamp"}) = format_rfc3339(run.approved_at);
  if (run.abort_requested) object.ensure({"metadata", "annotations"}).set("temper.codes/abort", "true");
  object.ensure({"spec", "planHash"}) = run.plan_hash;
  object.ensure({"spec", "approvedBy"}) = run.approved_by;
  object.ensure({"spec", "source"}) = run.source;
  object.set("status", parse(documents::write_status(run)));
  return wire::to_json(object);
}

void Stage::carry_out(bool answers) {
  // What is stored is all that the next leader has; so the test goes on with what it reads back.
  const auto back = documents::read_run(stored());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, run);
  std::vector<std::uint32_t> open;
  for (const Mutation& m : run.journal.entries)
    if (m.open()) open.push_back(m.id);
  for (const std::uint32_t id : open) {
    const bool dies = dies_at != 0 && ++carried_out_ == dies_at;
    if (dies && !dies_after_sending) return crash();
    const Conclusion c = perform(*run.journal.find(id));
    if (dies) return crash();
    if (answers && !unanswered.contains(id)) conclude(run, id, c, now);
    if (unanswered.contains(id)) conclude(run, id, {}, now);
  }
}

void Stage::turn(Duration life) {
  Step step = look();
  const Phase before = run.phase;
  if (step.run.phase != before && step.run.phases.size() > 1) {
    for (std::size_t i = 1; i < step.run.phases.size(); ++i)
      EXPECT_TRUE(may_follow(step.run.phases[i - 1].phase, step.run.phases[i].phase));
  }
  run = std::move(step.run);
  EXPECT_TRUE(run.reason.empty() ||
              std::find(std::begin(kReasons), std::end(kReasons), run.reason) != std::end(kReasons))
      << run.reason;
  carry_out();
  live(life);
}

Duration Stage::step_of_time() const {
  if (run.phase == Phase::Aborting) return Duration::seconds(60);
  const bool slow = waits_for_reap(run.phase) || run.phase == Phase::Launching;
  return Duration::seconds(slow ? 20 : 5);
}

bool Stage::play(Duration limit) {
  const Time end = now + limit;
  while (!over(run.phase) && now < end) turn(step_of_time());
  return over(run.phase);
}

bool Stage::play_until_the_first_eviction() {
  evictions_left = 0;
  const bool there = play_until(Phase::Draining);
  evictions_left.reset();
  return there;
}

bool Stage::play_until(Phase phase, Duration limit) {
  const Time end = now + limit;
  while (run.phase != phase && !over(run.phase) && now < end) turn(step_of_time());
  return run.phase == phase;
}

Conclusion Stage::perform(const Mutation& m) {
  if (const auto refusal = refusals.find(m.name); refusal != refusals.end()) return refusal->second;
  const std::string what = fmt::format("{} {}", word(m.kind), m.name);
  switch (m.kind) {
    case MutationKind::Evict: {
      const auto pod = pods_.find(m.name);
      if (pod == pods_.end()) return failed("Gone");
      if (pod->second.at({"metadata", "uid"}).string() != m.uid) return failed("OtherObject");
      history.push_back(what);
      pod->second.ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(now + Duration::seconds(30));
      return done();
    }
    case MutationKind::CreateClaim: {
      if (claims_.contains(m.name)) {
        Conclusion c = done();
        c.uid = claims_.at(m.name).at({"metadata", "uid"}).string();
        return c;
      }
      const auto body = documents::write_claim(run, parse(kPool));
      EXPECT_TRUE(body) << body.error().message;
      Tree claim = parse(*body);
      claim.ensure({"metadata", "uid"}) = "uid-" + m.name;
      claim.ensure({"metadata", "resourceVersion"}) = "1";
      claim.ensure({"metadata", "creationTimestamp"}) = format_rfc3339(now);
      claims_[m.name] = std::move(claim);
      history.push_back(what);
      Conclusion c = done();
      c.uid = "uid-" + m.name;
      return c;
    }
    case MutationKind::DeleteClaim: {
      const auto claim = claims_.find(m.name);
      if (claim == claims_.end()) return failed("Gone");
      const std::string node(claim->second.at({"status", "nodeName"}).string());
      if (!pods_on(node).empty()) return failed("InUse");
      history.push_back(what);
      if (node.empty())
        claims_.erase(claim);
      else
        remove_node(node);
      return done();
    }
    case MutationKind::ReleaseClaim:
    default: {
      auto& objects = m.kind == MutationKind::ReleaseClaim ? claims_ : nodes_;
      const auto object = objects.find(m.name);
      if (object == objects.end()) return failed("Gone");
      std::vector<std::string> before;
      for (const Mutation& earlier : run.journal.entries)
        if (earlier.name == m.name && earlier.id < m.id)
          before.insert(before.end(), earlier.added.begin(), earlier.added.end());
      const documents::Edit edit = documents::edit_node(object->second, m, run.name, before);
      if (edit.answer == documents::Edit::Answer::OtherObject) return failed("OtherObject");
      if (edit.answer == documents::Edit::Answer::Patch) {
        EXPECT_TRUE(apply(object->second, edit.operations)) << what;
        history.push_back(what);
      }
      Conclusion c = done();
      c.added = edit.added;
      return c;
    }
  }
}

void Stage::live(Duration time) {
  now = now + time;
  if (stops)
    std::erase_if(pods_,
                  [](const auto& p) { return p.second.at({"metadata", "deletionTimestamp"}).is_string(); });
  recreate();
  place();
  reap();
}

void Stage::recreate() {
  if (!replaces) return;
  for (const auto& [app, set] : sets_) {
    std::int64_t there = 0;
    StagedPod like;
    for (const auto& [name, pod] : pods_)
      if (pod.at({"metadata", "labels", "app"}).string() == app &&
          !pod.at({"metadata", "deletionTimestamp"}).is_string())
        ++there;
    for (; there < set.at({"spec", "replicas"}).integer(); ++there) {
      like.name = fmt::format("{}-n{}", app, serial_);
      like.app = app;
      for (const Departing& move : run.moves) {
        if (move.owner_uid != "uid-set-" + app) continue;
        constexpr std::int32_t kPriorities[] = {1'000'000, 100'000, 0, -50, -1000};
        if (move.tier != Tier::Normal) like.priority = kPriorities[static_cast<std::size_t>(move.tier)];
      }
      add_pod(like);
    }
  }
}

void Stage::place() {
  for (auto& [name, pod] : pods_) {
    if (schedules && pod.at({"spec", "nodeName"}).string().empty()) {
      for (const auto& [node, tree] : nodes_) {
        if (!schedulable(node)) continue;
        pod.ensure({"spec", "nodeName"}) = node;
        pod.ensure("status") =
            parse(fmt::format(R"({{"phase":"Running","startTime":"{}","conditions":[{}]}})",
                              format_rfc3339(now), condition("Ready", false)));
        break;
      }
    } else if (becomes_ready && pod.at({"status", "phase"}).string() == "Running" &&
               pod.at({"status", "conditions"}).size() == 1 &&
               pod.at({"status", "conditions"}).elements()[0]["status"].string() == "False") {
      pod.ensure({"status", "conditions"}).elements()[0] = parse(condition("Ready", true));
    }
  }
}

void Stage::reap() {
  std::vector<std::string> gone;
  for (const auto& [name, node] : nodes_) {
    const bool cordoned = node.at({"spec", "unschedulable"}).boolean();
    const bool tainted = !node.at({"spec", "taints"}).empty();
    const bool protected_ = annotated(name, kProtections[0]);
    if (!pods_on(name).empty() || protected_ ||
        !((cordoned && reaps_cordoned) || (!cordoned && tainted && reaps_tainted))) {
      empty_since_.erase(name);
      continue;
    }
    const Time since = empty_since_.emplace(name, now).first->second;
    if (now - since >= reap_delay) gone.push_back(name);
  }
  for (const std::string& name : gone) remove_node(name);
  if (!launches) return;
  std::vector<std::string> fresh;
  for (const auto& [name, claim] : claims_)
    if (claim.at({"status", "nodeName"}).string().empty()) fresh.push_back(name);
  for (const std::string& name : fresh) {
    Tree claim = claims_.at(name);
    add_node("new-" + name);
    claims_.erase("claim-new-" + name);
    claim.ensure("status") =
        parse(fmt::format(R"({{"providerID":"kwok://new-{0}","nodeName":"new-{0}","conditions":[{1},{2}]}})",
                          name, condition("Registered", true), condition("Initialized", true)));
    // Karpenter copies the annotations to the node when it registers.
    nodes_.at("new-" + name).ensure({"metadata", "annotations"}) = claim.at({"metadata", "annotations"});
    claims_[name] = std::move(claim);
  }
}

std::vector<std::string> Stage::evicted() const {
  std::vector<std::string> names;
  for (const std::string& line : history)
    if (line.starts_with("Evict ")) names.push_back(line.substr(6));
  return names;
}

bool Stage::happened(std::string_view what) const {
  return std::find(history.begin(), history.end(), what) != history.end();
}

GuardFinding Stage::ask(std::string_view guard) {
  const Cluster c = cluster();
  const Settings settings = situation::resolve_settings(c, {});
  const Observations seen = observations(c);
  const Sight sight{now,          c,        distrust,       settings, limits, seen,         application,
                    std::nullopt, NodeId(), policy_present, acts,     paused, revalidation, {}};
  for (GuardFinding& f : run::look(run, sight))
    if (f.guard == guard) return std::move(f);
  return {};
}

Stage two_nodes() {
  Stage stage;
  for (const char* name : {"a", "b"}) stage.add_node(name);
  stage.add_pod({"cache-a", "a", "cache", 1'000'000, 1000});
  stage.add_pod({"batch-b", "b", "batch", -1000, 100});
  stage.add_pod({"store-b", "b", "store", 100'000, 100});
  return stage;
}

Stage three_nodes() {
  Stage stage;
  for (const char* name : {"a", "b", "c"}) stage.add_node(name);
  stage.add_pod({"cache-a", "a", "cache", 1'000'000, 1000});
  stage.add_pod({"web-b", "b", "web", {}, 500});
  for (int i = 0; i < 4; ++i)
    stage.add_pod({fmt::format("batch{}-c", i), "c", fmt::format("batch{}", i), -1000, 100});
  for (int i = 0; i < 3; ++i)
    stage.add_pod({fmt::format("shop{}-c", i), "c", fmt::format("shop{}", i), {}, 200});
  stage.add_pod({"queue-c", "c", "queue", 100'000, 300});
  stage.add_pod({"store-c", "c", "store", 1'000'000, 300});
  return stage;
}

}  // namespace tamp::run
