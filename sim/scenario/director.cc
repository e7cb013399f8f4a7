#include "sim/scenario/director.h"

#include <algorithm>
#include <optional>

#include "sim/scenario/scenario_objects.h"
#include "sim/scenario/workload_objects.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using wire::Tree;

constexpr std::string_view kWho = "director";

api::WriteOptions as_somebody() { return {.manager = "kubectl"}; }

// "NAMESPACE/NAME", or NAME in "default".
std::pair<std::string, std::string> place_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {"default", std::string(text)};
  return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
}

// Deployments first: what is scaled or rolled by name is nearly always one.
std::optional<ResourceId> workload_at(Stage& stage, const std::string& ns, const std::string& name) {
  for (ResourceId resource : {ResourceId::Deployments, ResourceId::StatefulSets, ResourceId::ReplicaSets})
    if (stage.api.get(resource, ns, name)) return resource;
  return {};
}

void scale(Stage& stage, std::string_view workload, std::int64_t to) {
  const auto [ns, name] = place_of(workload);
  const std::optional<ResourceId> resource = workload_at(stage, ns, name);
  if (!resource) return;
  stage.api.modify(
      *resource, ns, name, [&](Tree& object) { object.ensure({"spec", "replicas"}) = to; }, as_somebody());
  stage.story.tell(stage.now, kWho, "Scaled", "workload " + ns + "/" + name, "to " + std::to_string(to));
}

void set_image(Stage& stage, std::string_view workload, std::string_view tag) {
  const auto [ns, name] = place_of(workload);
  const std::optional<ResourceId> resource = workload_at(stage, ns, name);
  if (!resource) return;
  stage.api.modify(
      *resource, ns, name,
      [&](Tree& object) {
        for (Tree& container : object.ensure({"spec", "template", "spec", "containers"}).elements()) {
          const std::string image(container["image"].string());
          container.set("image", image.substr(0, image.rfind(':')) + ":" + std::string(tag));
        }
      },
      as_somebody());
  stage.story.tell(stage.now, kWho, "Rolled", "workload " + ns + "/" + name, "to " + std::string(tag));
}

void cordon(Stage& stage, std::string_view node, bool on) {
  stage.api.modify(
      ResourceId::Nodes, "", node,
      [&](Tree& object) {
        if (on)
          object.ensure({"spec", "unschedulable"}) = true;
        else
          object.ensure("spec").erase("unschedulable");
      },
      as_somebody());
  stage.story.tell(stage.now, kWho, on ? "Cordoned" : "Uncordoned", "node " + std::string(node));
}

}  // namespace

void Director::plan(Stage& stage, const Scenario& scenario) {
  happenings_ = scenario.happenings;
  for (std::size_t i = 0; i < happenings_.size(); ++i) {
    const Time when = scenario.start + happenings_[i].at;
    if (when < stage.now) continue;
    stage.queue.at(when, {Actor::Director, Deed, {}, {}, static_cast<std::int64_t>(i)});
  }
  for (const WorkloadPlan& plan : scenario.workloads) {
    if (plan.day.empty()) continue;
    for (int copy = 1; copy <= plan.copies; ++copy) {
      rhythms_.push_back({plan.kind, plan.ns, workload_name(plan, copy), plan.day});
      stage.soon({Actor::Director, Day, {}, {}, static_cast<std::int64_t>(rhythms_.size()) - 1});
    }
  }
}

void Director::happen(Stage& stage, const Event& event) {
  const auto index = static_cast<std::size_t>(event.number);
  if (event.what == Day) return follow_day(stage, index);
  const Happening& happening = happenings_[index];
  do_deed(stage, happening.what);
  if (happening.every) stage.later(*happening.every, event);
}

void Director::follow_day(Stage& stage, std::size_t index) {
  const Rhythm& rhythm = rhythms_[index];
  const CivilTime civil = to_civil(stage.now);
  const Duration today = Duration::seconds(civil.hour * 3600 + civil.minute * 60 + civil.second);
  // What began last, today or yesterday, is in force; what begins next is when to look again.
  auto next = std::upper_bound(rhythm.day.begin(), rhythm.day.end(), today,
                               [](Duration now, const auto& step) { return now < step.first; });
  const auto& current = next == rhythm.day.begin() ? rhythm.day.back() : *std::prev(next);
  scale(stage, rhythm.ns + "/" + rhythm.name, current.second);
  const std::int64_t until =
      (next == rhythm.day.end() ? rhythm.day.front().first.ns + Duration::hours(24).ns : next->first.ns) -
      today.ns;
  // People and cron jobs are not punctual to the second, and not all at once.
  stage.later({until + Duration::seconds(stage.dice.between(0, 120)).ns},
              {Actor::Director, Day, {}, {}, static_cast<std::int64_t>(index)});
}

void Director::do_deed(Stage& stage, const Tree& what) {
  if (what.has("scale")) return scale(stage, what["scale"].string(), what["to"].integer());
  if (what.has("image")) return set_image(stage, what["image"].string(), what["to"].string());
  if (what.has("cordon")) return cordon(stage, what["cordon"].string(), true);
  if (what.has("uncordon")) return cordon(stage, what["uncordon"].string(), false);
  if (what.has("say")) return stage.story.tell(stage.now, kWho, "Says", std::string(what["say"].string()));
  if (what.has("apply")) {
    apply_object(stage.api, what["apply"]);
    return stage.story.tell(stage.now, kWho, "Applied", object_title(what["apply"]));
  }
  if (what.has("delete")) {
    remove_object(stage.api, what["delete"]);
    return stage.story.tell(stage.now, kWho, "Deleted", object_title(what["delete"]));
  }
  if (what.has("annotate")) {
    annotate_object(stage.api, what["annotate"], what["annotations"]);
    return stage.story.tell(stage.now, kWho, "Annotated", object_title(what["annotate"]));
  }
  if (what.has("removeNode")) {
    const std::string node(what["removeNode"].string());
    stage.api.remove(ResourceId::Nodes, "", node);
    return stage.story.tell(stage.now, kWho, "Lost", "node " + node);
  }
  const auto befall = [&](Mishap::Kind kind, std::string_view key, std::string_view word) {
    const std::string node(what[key].string());
    const std::string state(what["state"].string());
    mishaps_.push_back({kind, node, state});
    stage.story.tell(stage.now, kWho, word, "node " + node, state);
  };
  if (what.has("stopKubelet")) return befall(Mishap::Kind::StopKubelet, "stopKubelet", "StoppedKubelet");
  if (what.has("startKubelet")) return befall(Mishap::Kind::StartKubelet, "startKubelet", "StartedKubelet");
  if (what.has("reboot")) return befall(Mishap::Kind::Reboot, "reboot", "Rebooted");
  if (what.has("agent")) return befall(Mishap::Kind::Agent, "agent", "ChangedAgent");
}

}  // namespace tamp::world
