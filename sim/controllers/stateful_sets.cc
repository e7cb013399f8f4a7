#include "sim/controllers/stateful_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/controllers/claim.h"
#include "sim/controllers/pod_facts.h"
#include "sim/controllers/pod_from_template.h"
#include "sim/controllers/record.h"

namespace tamp::world {
namespace {

using api::ObjectPtr;
using api::ResourceId;
using api::Tree;

constexpr std::string_view kComponent = "statefulset-controller";
constexpr std::string_view kRevisionLabel = "controller-revision-hash";

// 3 for "web-3" of the set "web"; nothing if the name is not one of the set's.
std::optional<std::int64_t> ordinal_of(std::string_view pod, std::string_view set) {
  if (!pod.starts_with(set) || pod.size() < set.size() + 2 || pod[set.size()] != '-') return {};
  pod.remove_prefix(set.size() + 1);
  std::int64_t ordinal = 0;
  const auto [rest, error] = std::from_chars(pod.data(), pod.data() + pod.size(), ordinal);
  if (error != std::errc() || rest != pod.data() + pod.size() || ordinal < 0) return {};
  return ordinal;
}

// One look at one set.
class Look {
 public:
  Look(Stage& stage, const api::Object& set, const Revisions& revisions, ObjectPtr current,
       std::vector<ObjectPtr> pods);

  void run();
  void write_status();

  bool failed = false;
  std::optional<Time> next_available;  // when a pod that is ready now will count as available

 private:
  struct Condemned {
    std::int64_t ordinal;
    ObjectPtr pod;
  };

  bool ordered() const { return set_.spec()["podManagementPolicy"].string() != "Parallel"; }
  bool available(const api::Object& pod) {
    if (is_available(pod, min_ready_, stage_.now)) return true;
    if (const auto since = ready_since(pod))
      if (!next_available || *since + min_ready_ < *next_available) next_available = *since + min_ready_;
    return false;
  }
  bool unavailable(const ObjectPtr& pod) { return !pod || pod->terminating() || !available(*pod); }
  bool keep(std::size_t index);  // false: nothing further may be done now
  bool make(std::int64_t ordinal);
  bool make_claims(std::int64_t ordinal);
  bool end(const api::Object& pod);
  bool end_surplus();
  void update();

  Stage& stage_;
  const api::Object& set_;
  const Revisions& revisions_;
  ObjectPtr current_;
  Duration min_ready_;
  std::int64_t start_ = 0, partition_ = 0;
  std::vector<ObjectPtr> replicas_;   // by ordinal less start; null where there is none
  std::vector<Condemned> condemned_;  // the highest ordinal first
  std::int64_t ended_for_update_ = 0;
};

Look::Look(Stage& stage, const api::Object& set, const Revisions& revisions, ObjectPtr current,
           std::vector<ObjectPtr> pods)
    : stage_(stage),
      set_(set),
      revisions_(revisions),
      current_(std::move(current)),
      min_ready_(Duration::seconds(set.spec()["minReadySeconds"].integer())),
      start_(set.spec()["ordinals"]["start"].integer()),
      partition_(set.spec()["updateStrategy"]["rollingUpdate"]["partition"].integer()),
      replicas_(static_cast<std::size_t>(set.spec()["replicas"].integer(1))) {
  for (auto& pod : pods) {
    const auto ordinal = ordinal_of(pod->name(), set.name());
    if (!ordinal) continue;
    const std::int64_t index = *ordinal - start_;
    if (index >= 0 && index < static_cast<std::int64_t>(replicas_.size()))
      replicas_[static_cast<std::size_t>(index)] = std::move(pod);
    else
      condemned_.push_back({*ordinal, std::move(pod)});
  }
  std::sort(condemned_.begin(), condemned_.end(),
            [](const Condemned& a, const Condemned& b) { return a.ordinal > b.ordinal; });
}

void Look::run() {
  for (std::size_t i = 0; i < replicas_.size(); ++i)
    if (!keep(i) && (ordered() || failed)) return;
  if (end_surplus() || failed) return;
  if (set_.spec()["updateStrategy"]["type"].string() != "OnDelete") update();
}

bool Look::keep(std::size_t index) {
  ObjectPtr& pod = replicas_[index];
  const std::int64_t ordinal = start_ + static_cast<std::int64_t>(index);
  if (pod && is_terminal(*pod)) {
    // Whatever its containers said at the end, it must run; its name is free once it is gone.
    if (!pod->terminating()) failed |= !end(*pod);
    return false;
  }
  if (!pod) {
    failed |= !make(ordinal);
    return false;
  }
  if (phase_of(*pod) == "Pending") failed |= !make_claims(ordinal);
  return !pod->terminating() && phase_of(*pod) == "Running" && available(*pod);
}

bool Look::make(std::int64_t ordinal) {
  if (!make_claims(ordinal)) return false;
  const bool rolling = set_.spec()["updateStrategy"]["rollingUpdate"].is_object();
  const bool old = rolling ? ordinal < start_ + partition_
                           : set_.spec()["updateStrategy"]["type"].string() == "RollingUpdate" &&
                                 ordinal < start_ + set_.status()["currentReplicas"].integer();
  const api::Object& revision = old ? *current_ : *revisions_.newest;
  Tree pod = pod_from_template(template_of(revision), set_);
  const std::string name = fmt::format("{}-{}", set_.name(), ordinal);
  Tree& metadata = pod.ensure("metadata");
  metadata.set("name", name);
  Tree& labels = metadata.ensure("labels");
  labels.set("statefulset.kubernetes.io/pod-name", name);
  labels.set("apps.kubernetes.io/pod-index", fmt::format("{}", ordinal));
  labels.set(kRevisionLabel, revision.name());
  Tree& spec = pod.ensure("spec");
  spec.set("hostname", name);
  if (const auto service = set_.spec()["serviceName"].string(); !service.empty())
    spec.set("subdomain", service);
  const auto& templates = set_.spec()["volumeClaimTemplates"].elements();
  if (!templates.empty()) {
    Tree volumes = Tree::array();
    for (const Tree& claim : templates) {
      const auto claim_name = claim["metadata"]["name"].string();
      volumes.append(Tree::object({{"name", claim_name},
                                   {"persistentVolumeClaim",
                                    Tree::object({{"claimName", fmt::format("{}-{}", claim_name, name)}})}}));
    }
    for (const Tree& volume : std::as_const(spec)["volumes"].elements()) {
      const bool replaced = std::any_of(templates.begin(), templates.end(), [&](const Tree& claim) {
        return claim["metadata"]["name"].string() == volume["name"].string();
      });
      if (!replaced) volumes.append(volume);
    }
    spec.set("volumes", std::move(volumes));
  }
  const auto outcome =
      stage_.api.create(ResourceId::Pods, set_.ns(), std::move(pod), as_controller_manager());
  if (outcome.ok())
    record(stage_, kComponent, set_, "Normal", "SuccessfulCreate",
           fmt::format("Create Pod {} in StatefulSet {} successful", name, set_.name()));
  else
    record(stage_, kComponent, set_, "Warning", "FailedCreate",
           fmt::format("Create Pod {} in StatefulSet {} failed error: {}", name, set_.name(),
                       outcome.message()));
  return outcome.ok();
}

bool Look::make_claims(std::int64_t ordinal) {
  const Tree& retention = set_.spec()["persistentVolumeClaimRetentionPolicy"];
  for (const Tree& claim_template : set_.spec()["volumeClaimTemplates"].elements()) {
    const std::string name =
        fmt::format("{}-{}-{}", claim_template["metadata"]["name"].string(), set_.name(), ordinal);
    if (stage_.api.get(ResourceId::PersistentVolumeClaims, set_.ns(), name)) continue;
    Tree claim = Tree::object(
        {{"apiVersion", "v1"}, {"kind", "PersistentVolumeClaim"}, {"spec", claim_template["spec"]}});
    Tree& metadata = claim.ensure("metadata");
    metadata.set("name", name);
    for (const std::string_view key : {"labels", "annotations"})
      if (!claim_template["metadata"][key].empty()) metadata.set(key, claim_template["metadata"][key]);
    for (const auto& [key, value] : set_.spec()["selector"]["matchLabels"].members())
      metadata.ensure("labels").set(key, value);
    if (retention["whenDeleted"].string() == "Delete")
      metadata.ensure("ownerReferences").append(api::owner_reference(set_));
    const auto outcome = stage_.api.create(ResourceId::PersistentVolumeClaims, set_.ns(), std::move(claim),
                                           as_controller_manager());
    if (!outcome.ok()) return false;
    record(stage_, kComponent, set_, "Normal", "SuccessfulCreate",
           fmt::format("Create Claim {} Pod {}-{} in StatefulSet {} success", name, set_.name(), ordinal,
                       set_.name()));
  }
  return true;
}

bool Look::end(const api::Object& pod) {
  const auto outcome =
      stage_.api.remove(ResourceId::Pods, pod.ns(), pod.name(), {.uid = std::string(pod.uid())});
  if (outcome.ok())
    record(stage_, kComponent, set_, "Normal", "SuccessfulDelete",
           fmt::format("Delete Pod {} in StatefulSet {} successful", pod.name(), set_.name()));
  return outcome.ok() || outcome.code == 404;
}

// True: wait before anything else is done.
bool Look::end_surplus() {
  ObjectPtr first_unhealthy;
  for (const ObjectPtr& pod : replicas_)
    if (!first_unhealthy && pod && unavailable(pod)) first_unhealthy = pod;
  for (auto it = condemned_.rbegin(); it != condemned_.rend(); ++it)
    if (!first_unhealthy && unavailable(it->pod)) first_unhealthy = it->pod;
  const bool when_scaled_delete =
      set_.spec()["persistentVolumeClaimRetentionPolicy"]["whenScaled"].string() == "Delete";
  for (const auto& [ordinal, pod] : condemned_) {
    if (pod->terminating()) {
      if (ordered()) return true;
      continue;
    }
    if (ordered() && unavailable(pod) && pod != first_unhealthy) return true;
    if (when_scaled_delete) {
      // The claims go with the pod: it becomes their owner.
      for (const Tree& claim_template : set_.spec()["volumeClaimTemplates"].elements()) {
        const std::string claim =
            fmt::format("{}-{}", claim_template["metadata"]["name"].string(), pod->name());
        stage_.api.modify(
            ResourceId::PersistentVolumeClaims, set_.ns(), claim,
            [&](Tree& tree) {
              Tree owners = Tree::array();
              owners.append(api::owner_reference(*pod));
              tree.ensure("metadata").set("ownerReferences", std::move(owners));
            },
            as_controller_manager());
      }
    }
    failed |= !end(*pod);
    if (ordered()) return true;
  }
  return false;
}

void Look::update() {
  for (std::int64_t i = static_cast<std::int64_t>(replicas_.size()) - 1; i >= partition_; --i) {
    const ObjectPtr& pod = replicas_[static_cast<std::size_t>(i)];
    if (pod && label_of(*pod, kRevisionLabel) != revisions_.newest->name() && !pod->terminating()) {
      if (end(*pod))
        ++ended_for_update_;
      else
        failed = true;
      return;
    }
    if (unavailable(pod)) return;
  }
}

void Look::write_status() {
  std::int64_t replicas = 0, ready = 0, available_count = 0, current = 0, updated = 0;
  const auto count = [&](const ObjectPtr& pod) {
    if (!pod) return;
    ++replicas;
    if (phase_of(*pod) == "Running" && is_ready(*pod)) {
      ++ready;
      available_count += available(*pod) ? 1 : 0;
    }
    if (pod->terminating()) return;
    current += label_of(*pod, kRevisionLabel) == current_->name() ? 1 : 0;
    updated += label_of(*pod, kRevisionLabel) == revisions_.newest->name() ? 1 : 0;
  };
  for (const ObjectPtr& pod : replicas_) count(pod);
  for (const Condemned& condemned : condemned_) count(condemned.pod);
  current -= ended_for_update_;
  std::string_view current_revision = current_->name();
  const auto wanted = static_cast<std::int64_t>(replicas_.size());
  if (set_.spec()["updateStrategy"]["type"].string() == "RollingUpdate" && updated == wanted &&
      ready == wanted && replicas == wanted) {
    current = updated;
    current_revision = revisions_.newest->name();
  }
  Tree status = set_.status().is_object() ? set_.status() : Tree::object();
  const auto put = [&](std::string_view key, std::int64_t value, bool always) {
    if (value != 0 || always)
      status.set(key, value);
    else
      status.erase(key);
  };
  put("observedGeneration", set_.metadata()["generation"].integer(), false);
  put("replicas", replicas, true);
  put("readyReplicas", ready, false);
  put("currentReplicas", current, false);
  put("updatedReplicas", updated, false);
  put("availableReplicas", available_count, true);
  put("collisionCount", status["collisionCount"].integer(), true);
  status.set("currentRevision", current_revision);
  status.set("updateRevision", revisions_.newest->name());
  if (status == set_.status()) return;
  stage_.api.modify(
      ResourceId::StatefulSets, set_.ns(), set_.name(),
      [&](Tree& tree) {
        if (tree["metadata"]["uid"].string() == set_.uid()) tree.set("status", status);
      },
      as_controller_manager("status"));
}

}  // namespace

void StatefulSets::changed(Stage& stage, const api::Change& change) {
  revisions_.apply(change);
  if (change.resource == ResourceId::StatefulSets && change.after)
    queue_.add(stage, Actor::StatefulSets, 0, change.after->ns(), change.after->name());
  if (change.resource != ResourceId::Pods) return;
  pods_.apply(change);
  if (change.before && change.after && same_to_owner(*change.before, *change.after)) return;
  for (const auto* pod : {change.before.get(), change.after.get()}) {
    if (pod == nullptr) continue;
    const Tree& owner = api::controller_of(*pod);
    if (owner["kind"].string() == "StatefulSet")
      queue_.add(stage, Actor::StatefulSets, 0, pod->ns(), owner["name"].string());
    if (!owner.is_null() || pod != change.after.get() || pod->name().rfind('-') == std::string_view::npos)
      continue;
    // An orphan with an ordinal: the set of that name may adopt it.
    const auto parent = pod->name().substr(0, pod->name().rfind('-'));
    if (stage.api.get(ResourceId::StatefulSets, pod->ns(), parent))
      queue_.add(stage, Actor::StatefulSets, 0, pod->ns(), parent);
  }
}

void StatefulSets::happen(Stage& stage, const Event& event) {
  queue_.take(event);
  availability_.take(stage, event);
  const auto set = stage.api.get(ResourceId::StatefulSets, event.ns, event.name);
  if (!set) return retries_.succeeded(event.ns, event.name);
  auto claimed = claim(stage, pods_, ResourceId::Pods, *set, [&](const api::Object& pod) {
    return ordinal_of(pod.name(), set->name()).has_value();
  });
  const Revisions revisions = keep_revisions(stage, revisions_, *set, "controller.kubernetes.io/hash");
  bool failed = !claimed.complete || !revisions.newest;
  if (revisions.newest) {
    ObjectPtr current = revisions.named(set->status()["currentRevision"].string());
    if (!current) current = revisions.newest;
    Look look(stage, *set, revisions, current, claimed.objects);
    if (!set->terminating()) look.run();
    look.write_status();
    failed |= look.failed;
    if (look.next_available)
      availability_.set(stage, *look.next_available, Actor::StatefulSets, 0, event.ns, event.name);
    std::vector<std::string_view> used = {current->name()};
    for (const auto& pod : claimed.objects) used.push_back(label_of(*pod, kRevisionLabel));
    drop_old_revisions(stage, *set, revisions, used);
  }
  if (!failed) return retries_.succeeded(event.ns, event.name);
  queue_.add_after(stage, retries_.failed(event.ns, event.name), Actor::StatefulSets, 0, event.ns,
                   event.name);
}

}  // namespace tamp::world
