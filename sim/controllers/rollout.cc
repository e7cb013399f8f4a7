#include "sim/controllers/rollout.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sim/controllers/int_or_percent.h"
#include "sim/controllers/pod_facts.h"
#include "sim/controllers/record.h"
#include "sim/controllers/template_hash.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

constexpr std::string_view kHashLabel = "pod-template-hash";
constexpr std::string_view kHistory = "deployment.kubernetes.io/revision-history";
constexpr std::string_view kDesired = "deployment.kubernetes.io/desired-replicas";
constexpr std::string_view kMax = "deployment.kubernetes.io/max-replicas";
constexpr std::size_t kHistoryLength = 2000;  // characters of the revision-history annotation
constexpr std::int64_t kUnlimited = INT32_MAX;

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || rest != text.data() + text.size()) return {};
  return value;
}

bool same_but_hash(const Tree& a, const Tree& b) {
  const auto next = [](const Tree::Object& labels, std::size_t i) {
    return i < labels.size() && labels[i].key == kHashLabel ? i + 1 : i;
  };
  const auto& x = a.members();
  const auto& y = b.members();
  std::size_t i = next(x, 0), j = next(y, 0);
  for (; i < x.size() && j < y.size(); i = next(x, i + 1), j = next(y, j + 1))
    if (!(x[i] == y[j])) return false;
  return i >= x.size() && j >= y.size();
}

// Absent, null and empty are one.
bool same_or_empty(const Tree& a, const Tree& b) { return a == b || (a.empty() && b.empty()); }

bool same_template(const Tree& a, const Tree& b) {
  return same_but_hash(a["metadata"]["labels"], b["metadata"]["labels"]) && a["spec"] == b["spec"] &&
         same_or_empty(a["metadata"]["annotations"], b["metadata"]["annotations"]);
}

bool skipped_annotation(std::string_view key) {
  return key == "kubectl.kubernetes.io/last-applied-configuration" || key == kRevisionAnnotation ||
         key == kHistory || key == kDesired || key == kMax || key == "deprecated.deployment.rollback.to";
}

}  // namespace

Rollout::Rollout(Stage& stage, api::ObjectPtr deployment, const std::vector<api::ObjectPtr>& sets,
                 bool (*alive)(Stage&, const api::Object& set))
    : stage_(stage), deployment_(std::move(deployment)), alive_(alive), status_(deployment_->status()) {
  if (!status_.is_object()) status_ = Tree::object();
  for (const auto& set : sets)
    old_.push_back({set, set->spec()["replicas"].integer(1),
                    std::string(set->metadata()["creationTimestamp"].string())});
  std::sort(old_.begin(), old_.end(), [](const Set& a, const Set& b) {
    return std::pair(std::string_view(a.created), a.object->name()) <
           std::pair(std::string_view(b.created), b.object->name());
  });
  find_new();
}

void Rollout::find_new() {
  // The oldest of those that have the template: after an upgrade there may be two.
  const auto found = std::find_if(old_.begin(), old_.end(), [&](const Set& set) {
    return same_template(set.object->spec()["template"], deployment_->spec()["template"]);
  });
  if (found == old_.end()) return;
  new_ = std::move(*found);
  old_.erase(found);
}

Rollout::Next Rollout::run() {
  if (deployment_->terminating()) {
    write(false);
    return next_;
  }
  check_paused();
  if (!sync_revision(Create::No)) {
    write(false);
    return next_;
  }
  const bool paused = deployment_->spec()["paused"].boolean();
  if (paused || scaling_event()) {
    scale_proportionally();
    if (paused) clean_up();
    write(false);
  } else if (rolling()) {
    roll();
  } else {
    recreate();
  }
  return next_;
}

void Rollout::check_paused() {
  const Tree* progressing = condition("Progressing");
  if (!has_deadline() ||
      (progressing != nullptr && (*progressing)["reason"].string() == "ProgressDeadlineExceeded"))
    return;
  const bool was = progressing != nullptr && (*progressing)["reason"].string() == "DeploymentPaused";
  const bool is = deployment_->spec()["paused"].boolean();
  if (is && !was) set_condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused");
  if (!is && was) set_condition("Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed");
}

// ---- the newest set and its revision

Tree Rollout::new_annotations(const Tree& current, std::int64_t revision, bool exists) const {
  Tree annotations = current.is_object() ? current : Tree::object();
  for (const auto& [key, value] : deployment_->metadata()["annotations"].members())
    if (!skipped_annotation(key)) annotations.set(key, value);
  const std::string before(annotations[kRevisionAnnotation].string());
  const auto old_revision = before.empty() ? std::optional<std::int64_t>(0) : to_number(before);
  if (!old_revision) return annotations;
  if (*old_revision < revision) {
    annotations.set(kRevisionAnnotation, fmt::format("{}", revision));
    if (!before.empty()) {
      // Rolled back to: it keeps the numbers that it had.
      std::string history(annotations[kHistory].string());
      if (!history.empty()) history += ',';
      history += before;
      while (history.size() > kHistoryLength && history.find(',') != std::string::npos)
        history.erase(0, history.find(',') + 1);
      annotations.set(kHistory, std::move(history));
    }
  }
  if (!exists) {
    annotations.set(kDesired, fmt::format("{}", desired()));
    annotations.set(kMax, fmt::format("{}", desired() + max_surge()));
  }
  return annotations;
}

std::int64_t Rollout::next_revision() const {
  std::int64_t highest = 0;
  for (const Set& set : old_)
    highest = std::max(highest, to_number(annotation_of(*set.object, kRevisionAnnotation)).value_or(0));
  return highest + 1;
}

bool Rollout::sync_revision(Create create) {
  if (!new_) {
    if (create == Create::No) return true;
    return create_new();
  }
  const Tree& current = new_->object->metadata()["annotations"];
  Tree annotations = new_annotations(current, next_revision(), true);
  const Tree& min_ready = deployment_->spec()["minReadySeconds"];
  if (!same_or_empty(annotations, current) ||
      new_->object->spec()["minReadySeconds"].integer() != min_ready.integer()) {
    const auto outcome = stage_.api.modify(
        ResourceId::ReplicaSets, new_->object->ns(), new_->object->name(),
        [&](Tree& tree) {
          tree.ensure("metadata").set("annotations", annotations);
          if (min_ready.integer() != 0)
            tree.ensure("spec").set("minReadySeconds", min_ready.integer());
          else
            tree.ensure("spec").erase("minReadySeconds");
        },
        as_controller_manager());
    if (!outcome.ok()) {
      next_.failed = true;
      return false;
    }
    new_->object = outcome.object;
  }
  if (has_deadline() && condition("Progressing") == nullptr)
    set_condition("Progressing", "True", "FoundNewReplicaSet",
                  fmt::format("Found new replica set \"{}\"", new_->object->name()));
  return true;
}

bool Rollout::create_new() {
  const std::string hash =
      template_hash(deployment_->spec()["template"], status_["collisionCount"].integer());
  Tree pod_template = deployment_->spec()["template"];
  pod_template.ensure({"metadata", "labels"}).set(kHashLabel, hash);
  Tree selector = deployment_->spec()["selector"];
  selector.ensure("matchLabels").set(kHashLabel, hash);
  const std::int64_t revision = next_revision();
  const std::int64_t size =
      rolling() ? std::clamp<std::int64_t>(desired() + max_surge() - total(), 0, desired()) : desired();
  const std::string name = fmt::format("{}-{}", deployment_->name(), hash);
  Tree spec =
      Tree::object({{"replicas", size}, {"selector", std::move(selector)}, {"template", pod_template}});
  if (const auto min_ready = deployment_->spec()["minReadySeconds"].integer(); min_ready != 0)
    spec.set("minReadySeconds", min_ready);
  Tree metadata = Tree::object({{"name", name},
                                {"labels", pod_template["metadata"]["labels"]},
                                {"annotations", new_annotations({}, revision, false)}});
  metadata.ensure("ownerReferences").append(api::owner_reference(*deployment_));
  auto outcome = stage_.api.create(ResourceId::ReplicaSets, deployment_->ns(),
                                   Tree::object({{"apiVersion", "apps/v1"},
                                                 {"kind", "ReplicaSet"},
                                                 {"metadata", std::move(metadata)},
                                                 {"spec", std::move(spec)}}),
                                   as_controller_manager());
  if (!outcome.ok()) {
    next_.failed = true;
    if (outcome.reason() == "AlreadyExists") {
      // Another template with the same hash, or a set that is not ours: try another name next time.
      status_.set("collisionCount", status_["collisionCount"].integer() + 1);
    } else if (has_deadline()) {
      set_condition("Progressing", "False", "ReplicaSetCreateError",
                    fmt::format("Failed to create new replica set \"{}\": {}", name, outcome.message()));
    }
    return false;
  }
  new_ = Set{outcome.object, size, std::string(outcome.object->metadata()["creationTimestamp"].string())};
  if (size > 0)
    record(stage_, "deployment-controller", *deployment_, "Normal", "ScalingReplicaSet",
           fmt::format("Scaled up replica set {} from 0 to {}", name, size));
  if (has_deadline())
    set_condition("Progressing", "True", "NewReplicaSetCreated",
                  fmt::format("Created new replica set \"{}\"", name));
  return true;
}

// ---- scaling

bool Rollout::scale(Set& set, std::int64_t to, bool force) {
  const std::int64_t from = set.replicas;
  if (!force && from == to) return false;
  const std::string wanted = fmt::format("{}", desired()), max = fmt::format("{}", desired() + max_surge());
  if (from == to && annotation_of(*set.object, kDesired) == wanted && annotation_of(*set.object, kMax) == max)
    return false;
  const auto outcome = stage_.api.modify(
      ResourceId::ReplicaSets, set.object->ns(), set.object->name(),
      [&](Tree& tree) {
        tree.ensure("spec").set("replicas", to);
        Tree& annotations = tree.ensure({"metadata", "annotations"});
        annotations.set(kDesired, wanted);
        annotations.set(kMax, max);
      },
      as_controller_manager());
  if (!outcome.ok()) {
    next_.failed = true;
    return false;
  }
  set.object = outcome.object;
  set.replicas = to;
  if (from == to) return false;
  record(stage_, "deployment-controller", *deployment_, "Normal", "ScalingReplicaSet",
         fmt::format("Scaled {} replica set {} from {} to {}", from < to ? "up" : "down", set.object->name(),
                     from, to));
  return true;
}

std::vector<Rollout::Set*> Rollout::active_old() {
  std::vector<Set*> active;
  for (Set& set : old_)
    if (set.replicas > 0) active.push_back(&set);
  return active;
}

bool Rollout::scaling_event() const {
  const auto differs = [&](const Set& set) {
    const auto wanted = to_number(annotation_of(*set.object, kDesired));
    return set.replicas > 0 && wanted && *wanted != desired();
  };
  return std::any_of(old_.begin(), old_.end(), differs) || (new_ && differs(*new_));
}

// A Deployment that is scaled in the middle of a rollout keeps the proportions of its sets, so that a bad template
// does not spread faster for it.
bool Rollout::scale_proportionally() {
  std::vector<Set*> active = active_old();
  if (new_ && new_->replicas > 0) active.push_back(&*new_);
  if (active.size() <= 1) {
    Set* only = !active.empty() ? active.front() : new_ ? &*new_ : old_.empty() ? nullptr : &old_.back();
    return only != nullptr && scale(*only, desired());
  }
  const bool saturated = new_ && new_->replicas == desired() && new_->available() == desired() &&
                         to_number(annotation_of(*new_->object, kDesired)) == desired();
  if (saturated) {
    for (Set* set : active_old()) scale(*set, 0);
    return true;
  }
  if (!rolling()) return false;

  std::int64_t have = 0;
  for (const Set* set : active) have += set->replicas;
  const std::int64_t to_add = (desired() > 0 ? desired() + max_surge() : 0) - have;
  std::sort(active.begin(), active.end(), [&](const Set* a, const Set* b) {
    if (a->replicas != b->replicas) return a->replicas > b->replicas;
    const auto key = [](const Set* set) {
      return std::pair(std::string_view(set->created), set->object->name());
    };
    return to_add > 0 ? key(b) < key(a) : key(a) < key(b);
  });
  std::int64_t added = 0;
  std::vector<std::int64_t> sizes;
  for (const Set* set : active) {
    std::int64_t share = 0;
    if (to_add != 0 && to_add != added) {
      if (desired() == 0) {
        share = -set->replicas;
      } else {
        std::int64_t before = to_number(annotation_of(*set->object, kMax)).value_or(0);
        if (before == 0) before = deployment_->status()["replicas"].integer();
        if (before != 0) {
          const double size =
              static_cast<double>(set->replicas * (desired() + max_surge())) / static_cast<double>(before);
          share = static_cast<std::int64_t>(std::floor(size + 0.5)) - set->replicas;
        }
      }
      share = to_add > 0 ? std::min(share, to_add - added) : std::max(share, to_add - added);
    }
    sizes.push_back(set->replicas + share);
    added += share;
  }
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (i == 0) sizes[0] = std::max<std::int64_t>(0, sizes[0] + to_add - added);
    scale(*active[i], sizes[i], true);
  }
  return true;
}

void Rollout::roll() {
  if (sync_revision(Create::Yes) && !grow_new() && !shrink_old() && complete(deployment_->status()))
    clean_up();
  write(true);
}

bool Rollout::grow_new() {
  if (new_->replicas == desired()) return false;
  if (new_->replicas > desired()) return scale(*new_, desired());
  const std::int64_t room = desired() + max_surge() - total();
  if (room <= 0) return false;
  return scale(*new_, new_->replicas + std::min(room, desired() - new_->replicas));
}

bool Rollout::shrink_old() {
  std::vector<Set*> old = active_old();
  if (old.empty()) return false;
  const std::int64_t min_available = desired() - max_unavailable();
  // Pods of the new set that are not available yet must not make old ones go.
  const std::int64_t most = total() - min_available - (new_->replicas - new_->available());
  if (most <= 0) return false;

  // Replicas that do not work first: nobody misses them.
  std::int64_t cleaned = 0;
  for (Set* set : old) {
    if (cleaned >= most) break;
    const std::int64_t broken = set->replicas - set->available();
    if (broken <= 0) continue;
    const std::int64_t by = std::min(most - cleaned, broken);
    scale(*set, set->replicas - by);
    cleaned += by;
  }
  std::int64_t may_go = total_available() - min_available, gone = 0;
  for (Set* set : old) {
    if (gone >= may_go) break;
    const std::int64_t by = std::min(set->replicas, may_go - gone);
    if (by <= 0) continue;
    scale(*set, set->replicas - by);
    gone += by;
  }
  return cleaned + gone > 0;
}

void Rollout::recreate() {
  bool scaled_down = false;
  for (Set* set : active_old()) scaled_down |= scale(*set, 0);
  if (scaled_down) return write(true);
  for (const Set& set : old_)
    if (set.object->status()["replicas"].integer() > 0 || alive_(stage_, *set.object)) return write(true);
  if (sync_revision(Create::Yes)) {
    scale(*new_, desired());
    if (complete(deployment_->status())) clean_up();
  }
  write(true);
}

void Rollout::clean_up() {
  const std::int64_t limit = deployment_->spec()["revisionHistoryLimit"].integer(10);
  if (limit == kUnlimited) return;
  std::vector<const Set*> cleanable;
  for (const Set& set : old_)
    if (!set.object->terminating()) cleanable.push_back(&set);
  const std::int64_t surplus = static_cast<std::int64_t>(cleanable.size()) - limit;
  if (surplus <= 0) return;
  const auto key = [](const Set* set) {
    return std::tuple(to_number(annotation_of(*set->object, kRevisionAnnotation)).value_or(0),
                      std::string_view(set->created), set->object->name());
  };
  std::sort(cleanable.begin(), cleanable.end(), [&](const Set* a, const Set* b) { return key(a) < key(b); });
  for (std::int64_t i = 0; i < surplus; ++i) {
    const Set& set = *cleanable[static_cast<std::size_t>(i)];
    const Tree& status = set.object->status();
    if (status["replicas"].integer() != 0 || set.replicas != 0 ||
        set.object->metadata()["generation"].integer() > status["observedGeneration"].integer())
      continue;
    stage_.api.remove(ResourceId::ReplicaSets, set.object->ns(), set.object->name());
  }
}

// ---- numbers

bool Rollout::rolling() const {
  return deployment_->spec()["strategy"]["type"].string("RollingUpdate") == "RollingUpdate";
}

std::int64_t Rollout::max_surge() const {
  if (!rolling()) return 0;
  return scaled(deployment_->spec()["strategy"]["rollingUpdate"]["maxSurge"], desired(), Rounding::Up)
      .value_or(0);
}

std::int64_t Rollout::max_unavailable() const {
  if (!rolling() || desired() == 0) return 0;
  const auto value =
      scaled(deployment_->spec()["strategy"]["rollingUpdate"]["maxUnavailable"], desired(), Rounding::Down)
          .value_or(0);
  // Rounding down may leave no way to move at all; then one may be missing.
  if (value == 0 && max_surge() == 0) return 1;
  return std::min(value, desired());
}

bool Rollout::has_deadline() const {
  const Tree& deadline = deployment_->spec()["progressDeadlineSeconds"];
  return deadline.is_number() && deadline.integer() != kUnlimited;
}

std::int64_t Rollout::total() const {
  std::int64_t sum = new_ ? new_->replicas : 0;
  for (const Set& set : old_) sum += set.replicas;
  return sum;
}

std::int64_t Rollout::total_available() const {
  std::int64_t sum = new_ ? new_->available() : 0;
  for (const Set& set : old_) sum += set.available();
  return sum;
}

}  // namespace tamp::world
