// Workloads: what makes pods, and how many at a time.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "sim/api/server.h"
#include "sim/api/validate_common.h"
#include "sim/api/validate_kinds.h"
#include "sim/api/validate_text.h"
#include "wire/cron.h"

namespace tamp::text {
extern const std::string_view kTimeZones;  // time_zones.txt: the names of the IANA database, one a line
}

namespace tamp::world::api {
namespace {

bool is_empty_selector(const Tree& selector) {
  return selector["matchLabels"].empty() && selector["matchExpressions"].empty();
}

// An empty selector is told by itself; none at all matches nothing.
bool must_match(const Tree& spec) {
  return spec["selector"].is_null() || !is_empty_selector(spec["selector"]);
}

// Returns whether it can be matched.
bool check_own_selector(Findings& found, const Tree& spec, const Place& place, std::string_view kind) {
  const Tree& selector = spec["selector"];
  const Place at = place.child("selector");
  const std::size_t before = found.count();
  if (selector.is_null()) {
    found.required(at);
    return true;
  }
  check_selector(found, selector, at);
  const bool parsed = found.count() == before;
  if (is_empty_selector(selector))
    found.invalid(at, selector, "empty selector is invalid for " + std::string(kind));
  if (!parsed) found.invalid(at, selector, "invalid label selector");
  return parsed;
}

void check_matches_template(Findings& found, const Tree& spec, const Place& place) {
  const Tree& selector = spec["selector"];
  const Tree& labels = spec.at({"template", "metadata", "labels"});
  if (selects(selector, labels)) return;
  const Place pod_template = place.child("template");
  found.invalid(pod_template.child("metadata").child("labels"), labels,
                "`selector` does not match template `labels`");
}

void check_restarts_always(Findings& found, const Tree& spec, const Place& place) {
  const Place pod_template = place.child("template");
  const Place at = pod_template.child("spec");
  const Tree& pod = spec.at({"template", "spec"});
  if (pod["restartPolicy"].string() != "Always") {
    found.not_supported(at.child("restartPolicy"), pod["restartPolicy"], "\"Always\"");
  }
  if (!pod["activeDeadlineSeconds"].is_null()) {
    found.forbidden(at.child("activeDeadlineSeconds"),
                    "activeDeadlineSeconds in ReplicaSet is not Supported");
  }
}

void check_replicated_template(Findings& found, const Tree& spec, const Place& place) {
  if (must_match(spec)) check_matches_template(found, spec, place);
  check_template(found, spec["template"], place.child("template"));
  check_restarts_always(found, spec, place);
}

bool is_zero(const Tree& value) {
  if (value.is_number()) return value.integer() == 0;
  return value.is_null() || std::atoi(std::string(value.string()).c_str()) == 0;
}

void check_strategy(Findings& found, const Tree& strategy, const Place& place) {
  const std::string_view type = strategy["type"].string();
  const Tree& rolling = strategy["rollingUpdate"];
  const Place at = place.child("rollingUpdate");
  if (type == "Recreate") {
    if (!rolling.is_null()) found.forbidden(at, "may not be specified when strategy `type` is 'Recreate'");
  } else if (type == "RollingUpdate") {
    check_count_or_percent(found, rolling["maxUnavailable"], at.child("maxUnavailable"));
    check_count_or_percent(found, rolling["maxSurge"], at.child("maxSurge"));
    if (is_zero(rolling["maxUnavailable"]) && is_zero(rolling["maxSurge"])) {
      found.invalid(at.child("maxUnavailable"), rolling["maxUnavailable"],
                    "may not be 0 when `maxSurge` is 0");
    }
    check_at_most_all(found, rolling["maxUnavailable"], at.child("maxUnavailable"));
  } else {
    found.not_supported(place, strategy, "\"Recreate\", \"RollingUpdate\"");
  }
}

void check_selector_kept(Findings& found, const Tree& object, const Tree* old) {
  if (old == nullptr) return;
  const Place spec("spec");
  check_same(found, (*old)["spec"]["selector"], object["spec"]["selector"], spec.child("selector"));
}

}  // namespace

void check_deployment(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  check_not_negative(found, spec["replicas"], place.child("replicas"));
  if (check_own_selector(found, spec, place, "deployment")) check_replicated_template(found, spec, place);
  check_strategy(found, spec["strategy"], place.child("strategy"));
  check_not_negative(found, spec["minReadySeconds"], place.child("minReadySeconds"));
  check_not_negative(found, spec["revisionHistoryLimit"], place.child("revisionHistoryLimit"));
  check_not_negative(found, spec["progressDeadlineSeconds"], place.child("progressDeadlineSeconds"));
  if (spec["progressDeadlineSeconds"].integer() <= spec["minReadySeconds"].integer()) {
    found.invalid(place.child("progressDeadlineSeconds"), spec["progressDeadlineSeconds"],
                  "must be greater than minReadySeconds");
  }
  check_selector_kept(found, object, old);
}

void check_replica_set(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  check_not_negative(found, spec["replicas"], place.child("replicas"));
  check_not_negative(found, spec["minReadySeconds"], place.child("minReadySeconds"));
  if (check_own_selector(found, spec, place, "deployment")) check_replicated_template(found, spec, place);
  check_selector_kept(found, object, old);
}

namespace {

// The template as its pods will be. Claims of the set come first among their volumes, in the place of volumes of that name; names
// in the network are given by the set.
Tree pods_of_stateful_set(const Tree& spec) {
  Tree out = spec["template"];
  if (Tree* pod = out.find("spec"); pod != nullptr && pod->is_object()) {
    pod->erase("subdomain");
    pod->erase("hostname");
  }
  const Tree::Array& claims = spec["volumeClaimTemplates"].elements();
  if (claims.empty()) return out;
  std::map<std::string_view, Tree> volumes;
  for (const Tree& claim : claims) {
    const std::string_view name = claim["metadata"]["name"].string();
    volumes[name] =
        Tree::object({{"name", name}, {"persistentVolumeClaim", Tree::object({{"claimName", name}})}});
  }
  Tree all = Tree::array();
  for (const auto& [name, volume] : volumes) all.append(volume);
  for (const Tree& volume : spec.at({"template", "spec", "volumes"}).elements())
    if (!volumes.contains(volume["name"].string())) all.append(volume);
  out.ensure("spec").set("volumes", std::move(all));
  return out;
}

void check_updates_of_set(Findings& found, const Tree& strategy, const Place& updates) {
  const std::string_view type = strategy["type"].string();
  if (type == "OnDelete") {
    if (!strategy["rollingUpdate"].is_null()) {
      found.invalid(updates.child("rollingUpdate"), strategy["rollingUpdate"],
                    "only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (type == "RollingUpdate") {
    const Place rolling = updates.child("rollingUpdate");
    check_not_negative(found, strategy["rollingUpdate"]["partition"], rolling.child("partition"));
  } else {
    found.invalid(updates, strategy, "must be 'RollingUpdate' or 'OnDelete'");
  }
}

// How the claims of its pods are kept, and, of a new set, what they ask for: that cannot change later.
void check_claims_of_set(Findings& found, const Tree& spec, const Place& place, bool is_new) {
  for (std::string_view when : {"whenDeleted", "whenScaled"}) {
    const Tree& value = spec["persistentVolumeClaimRetentionPolicy"][when];
    if (value.is_null()) continue;
    check_one_of(found, value, place.child("persistentVolumeClaimRetentionPolicy").child(when),
                 {"Retain", "Delete"});
  }
  if (!is_new) return;
  const Place list = place.child("volumeClaimTemplates");
  const Tree::Array& claims = spec["volumeClaimTemplates"].elements();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Place at = list.at(i);
    check_claim_spec(found, claims[i]["spec"], at.child("spec"));
  }
}

void check_pods_of_set(Findings& found, const Tree& spec, const Place& place) {
  if (check_own_selector(found, spec, place, "statefulset")) {
    const Tree pod_template = pods_of_stateful_set(spec);
    if (must_match(spec)) check_matches_template(found, spec, place);
    const Place at = place.child("template");
    check_template(found, pod_template, at);
    // Once more, as the real server does.
    check_template_metadata(found, pod_template["metadata"], at);
  }
  check_restarts_always(found, spec, place);
}

void check_change_of_set(Findings& found, const Tree& before, const Tree& spec, const Place& place) {
  Tree rest = spec;
  for (std::string_view key : {"replicas", "template", "updateStrategy", "minReadySeconds", "ordinals",
                               "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy"}) {
    if (const Tree* value = before.find(key)) {
      rest.set(key, *value);
    } else {
      rest.erase(key);
    }
  }
  if (rest == before) return;
  found.forbidden(
      place,
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
      "'updateStrategy', "
      "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
}

}  // namespace

void check_stateful_set(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  const std::string_view policy = spec["podManagementPolicy"].string();
  if (policy != "OrderedReady" && policy != "Parallel") {
    found.invalid(place.child("podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'");
  }
  check_updates_of_set(found, spec["updateStrategy"], place.child("updateStrategy"));
  check_claims_of_set(found, spec, place, old == nullptr);
  check_not_negative(found, spec["replicas"], place.child("replicas"));
  check_not_negative(found, spec["minReadySeconds"], place.child("minReadySeconds"));
  check_not_negative(found, spec["ordinals"]["start"], place.child("ordinals.start"));
  // It cannot change, so one that is wrong already may stay.
  if (const std::string_view service = spec["serviceName"].string(); old == nullptr && !service.empty()) {
    for (const char* why : not_label(service)) found.invalid(place.child("serviceName"), service, why);
  }
  check_pods_of_set(found, spec, place);
  if (old != nullptr) check_change_of_set(found, (*old)["spec"], spec, place);
}

void check_daemon_set(Findings& found, const Tree& object, const Tree* old) {
  check_selector_kept(found, object, old);
  const Place place("spec");
  const Tree& spec = object["spec"];
  const std::size_t before = found.count();
  check_selector(found, spec["selector"], place.child("selector"));
  if (found.count() == before) check_matches_template(found, spec, place);
  if (!spec["selector"].is_null() && is_empty_selector(spec["selector"])) {
    found.invalid(place.child("selector"), spec["selector"], "empty selector is invalid for daemonset");
  }
  check_template(found, spec["template"], place.child("template"));
  check_restarts_always(found, spec, place);
  check_not_negative(found, spec["minReadySeconds"], place.child("minReadySeconds"));
  const Tree& strategy = spec["updateStrategy"];
  const Place updates = place.child("updateStrategy");
  const std::string_view type = strategy["type"].string();
  if (type == "RollingUpdate") {
    const Tree& rolling = strategy["rollingUpdate"];
    const Place at = updates.child("rollingUpdate");
    for (std::string_view key : {"maxUnavailable", "maxSurge"}) {
      check_count_or_percent(found, rolling[key], at.child(key));
      check_at_most_all(found, rolling[key], at.child(key));
    }
    const bool none_gone = is_zero(rolling["maxUnavailable"]), none_more = is_zero(rolling["maxSurge"]);
    if (none_gone && none_more) {
      found.required(at.child("maxUnavailable"), "cannot be 0 when maxSurge is 0");
    } else if (!none_gone && !none_more) {
      found.invalid(at.child("maxSurge"), rolling["maxSurge"],
                    "may not be set when maxUnavailable is non-zero");
    }
  } else if (type != "OnDelete") {
    found.not_supported(updates, strategy, "\"RollingUpdate\", \"OnDelete\"");
  }
  check_not_negative(found, spec["revisionHistoryLimit"], place.child("revisionHistoryLimit"));
}

namespace {

void check_job_spec(Findings& found, const Tree& spec, const Place& place) {
  for (std::string_view key : {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
                               "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"}) {
    check_not_negative(found, spec[key], place.child(key));
  }
  const Tree& mode = spec["completionMode"];
  if (!mode.is_null()) check_one_of(found, mode, place.child("completionMode"), {"NonIndexed", "Indexed"});
  if (mode.string() == "Indexed") {
    if (spec["completions"].is_null())
      found.required(place.child("completions"), "when completion mode is Indexed");
  } else {
    for (std::string_view key : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
      if (!spec[key].is_null())
        found.invalid(place.child(key), spec[key], "requires indexed completion mode");
    }
  }
  if (!spec["podReplacementPolicy"].is_null()) {
    check_one_of(found, spec["podReplacementPolicy"], place.child("podReplacementPolicy"),
                 {"Failed", "TerminatingOrFailed"});
  }
  check_template(found, spec["template"], place.child("template"));
  const Tree& restart = spec.at({"template", "spec", "restartPolicy"});
  const Place pod_template = place.child("template");
  const Place pod = pod_template.child("spec");
  if (restart.is_null() || restart.string() == "Always") {
    found.required(pod.child("restartPolicy"), "valid values: \"OnFailure\", \"Never\"");
  } else {
    check_one_of(found, restart, pod.child("restartPolicy"), {"OnFailure", "Never"});
  }
}

void check_selecting_job_spec(Findings& found, const Tree& spec, const Place& place) {
  check_job_spec(found, spec, place);
  if (spec["selector"].is_null())
    found.required(place.child("selector"));
  else
    check_selector(found, spec["selector"], place.child("selector"));
  check_matches_template(found, spec, place);
}

// Labels that the server makes must be the job's own.
void check_generated_labels(Findings& found, const Tree& job) {
  const Tree& spec = job["spec"];
  if (spec["manualSelector"].boolean() || spec["selector"].is_null()) return;
  const Tree& labels = spec.at({"template", "metadata", "labels"});
  const std::pair<std::string_view, const Tree&> expected[] = {
      {"batch.kubernetes.io/controller-uid", job["metadata"]["uid"]},
      {"controller-uid", job["metadata"]["uid"]},
      {"batch.kubernetes.io/job-name", job["metadata"]["name"]},
      {"job-name", job["metadata"]["name"]}};
  for (const auto& [label, value] : expected) {
    if (labels.has(label) && labels[label].string() == value.string()) continue;
    const Place spec_place("spec");
    const Place pod_template = spec_place.child("template");
    const Place metadata = pod_template.child("metadata");
    const Place all = metadata.child("labels");
    if (!labels.has(label))
      found.required(all.key(label), "must be '" + std::string(value.string()) + "'");
    else
      found.invalid(all.key(label), labels[label], "must be '" + std::string(value.string()) + "'");
  }
  Tree made = Tree::object();
  for (const auto& [label, value] : expected) made.set(label, value);
  if (!selects(spec["selector"], made)) {
    const Place at("spec");
    found.invalid(at.child("selector"), spec["selector"], "`selector` not auto-generated");
  }
}

// It waits to start, or to go on, and none of its pods runs.
bool is_suspended(const Tree& job) {
  if (!job["spec"]["suspend"].boolean() || job["status"]["active"].integer() != 0) return false;
  if (job["status"]["startTime"].is_null()) return true;
  for (const Tree& condition : job["status"]["conditions"].elements())
    if (condition["type"].string() == "Suspended" && condition["status"].string() == "True") return true;
  return false;
}

// The former template of a suspended job, with what may change as the new one has it: where its pods may go and what they ask
// for.
Tree job_template_but_for_mutable_parts(const Tree& old_template, const Tree& updated) {
  Tree out = old_template;
  const auto take = [&](Tree& into, const Tree& from, std::string_view key) {
    if (const Tree* value = from.find(key))
      into.set(key, *value);
    else
      into.erase(key);
  };
  Tree& spec = out.ensure("spec");
  const Tree& wanted = updated["spec"];
  for (std::string_view key : {"nodeSelector", "tolerations", "schedulingGates"}) take(spec, wanted, key);
  for (std::string_view key : {"labels", "annotations"})
    take(out.ensure("metadata"), updated["metadata"], key);
  if (wanted.has("affinity") || spec.has("affinity")) {
    Tree& affinity = spec.ensure("affinity");
    take(affinity, wanted["affinity"], "nodeAffinity");
    if (affinity.empty() && !wanted.has("affinity")) spec.erase("affinity");
  }
  for (std::string_view kind : {"containers", "initContainers"}) {
    Tree* containers = spec.find(kind);
    const Tree::Array& asked = wanted[kind].elements();
    if (containers == nullptr || containers->size() != asked.size()) continue;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      Tree& container = containers->elements()[i];
      if (container["name"] == asked[i]["name"]) take(container, asked[i], "resources");
    }
  }
  return out;
}

}  // namespace

void check_job(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  check_generated_labels(found, object);
  check_selecting_job_spec(found, spec, place);
  if (spec["completionMode"].string() == "Indexed" && spec["completions"].integer() > 0) {
    const std::string last = std::string(object["metadata"]["name"].string()) + "-" +
                             std::to_string(spec["completions"].integer() - 1);
    const Place metadata("metadata");
    if (!not_label(last).empty())
      found.invalid(metadata.child("name"), last, "pods could not be named after it");
  }
  if (old == nullptr) return;
  // A change is looked at as a whole first.
  check_selecting_job_spec(found, spec, place);
  const Tree& before = (*old)["spec"];
  const bool elastic =
      spec["completionMode"].string() == "Indexed" && spec["completions"] == spec["parallelism"];
  if (!elastic) check_same(found, before["completions"], spec["completions"], place.child("completions"));
  check_same(found, before["selector"], spec["selector"], place.child("selector"));
  const Place pods = place.child("template");
  if (is_suspended(*old)) {
    const Tree kept = job_template_but_for_mutable_parts(before["template"], spec["template"]);
    check_same(found, kept["spec"], spec["template"]["spec"], pods.child("spec"));
  } else {
    check_same(found, before["template"], spec["template"], pods);
  }
  for (std::string_view key :
       {"completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"}) {
    check_same(found, before[key], spec[key], place.child(key));
  }
}

void check_cron_job(Findings& found, const Tree& object, const Tree* old) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  // Room for what is appended to the names of jobs.
  if (old == nullptr && object["metadata"]["name"].string().size() > 52) {
    const Place metadata("metadata");
    found.invalid(metadata.child("name"), object["metadata"]["name"], "must be no more than 52 characters");
  }
  const std::string_view schedule = spec["schedule"].string();
  if (schedule.empty()) {
    found.required(place.child("schedule"));
  } else if (auto parsed = wire::parse_cron(schedule); !parsed.ok()) {
    found.invalid(place.child("schedule"), schedule, parsed.error().message);
  }
  check_not_negative(found, spec["startingDeadlineSeconds"], place.child("startingDeadlineSeconds"));
  // The simulated cluster has no time zones.
  if (const Tree& zone = spec["timeZone"];
      !zone.is_null() && zone.string() != "UTC" && zone.string() != "Etc/UTC")
    found.invalid(place.child("timeZone"), zone, "unknown time zone");
  check_one_of(found, spec["concurrencyPolicy"], place.child("concurrencyPolicy"),
               {"Allow", "Forbid", "Replace"});
  const Place made = place.child("jobTemplate");
  check_job_spec(found, spec.at({"jobTemplate", "spec"}), made.child("spec"));
  check_not_negative(found, spec["successfulJobsHistoryLimit"], place.child("successfulJobsHistoryLimit"));
  check_not_negative(found, spec["failedJobsHistoryLimit"], place.child("failedJobsHistoryLimit"));
}

void check_controller_revision(Findings& found, const Tree& object, const Tree* old) {
  if (old == nullptr && !object["data"].is_object()) found.required(Place("data"), "data is mandatory");
  check_not_negative(found, object["revision"], Place("revision"));
  if (old != nullptr) check_same(found, (*old)["data"], object["data"], Place("data"));
}

void check_disruption_budget(Findings& found, const Tree& object, const Tree*) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  if (!spec["minAvailable"].is_null() && !spec["maxUnavailable"].is_null()) {
    found.invalid(place, spec, "minAvailable and maxUnavailable cannot be both set");
  }
  for (std::string_view key : {"minAvailable", "maxUnavailable"}) {
    check_count_or_percent(found, spec[key], place.child(key));
    check_at_most_all(found, spec[key], place.child(key));
  }
  check_selector(found, spec["selector"], place.child("selector"));
  if (!spec["unhealthyPodEvictionPolicy"].is_null()) {
    check_one_of(found, spec["unhealthyPodEvictionPolicy"], place.child("unhealthyPodEvictionPolicy"),
                 {"AlwaysAllow", "IfHealthyBudget"});
  }
}

}  // namespace tamp::world::api
