#include "sim/controllers/cron_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/controllers/cron_time.h"
#include "sim/controllers/job_look.h"
#include "sim/controllers/pod_facts.h"
#include "sim/controllers/record.h"
#include "wire/cron.h"

namespace tamp::world {
namespace {

using api::ObjectPtr;
using api::ResourceId;
using api::Tree;

constexpr std::string_view kComponent = "cronjob-controller";

// The newest moment that was due between `since` and `now`.
std::optional<Time> latest_due(const CronSchedule& schedule, Time since, Time now) {
  std::optional<Time> latest;
  for (auto t = next_time(schedule, since); t && *t <= now; t = next_time(schedule, *t)) latest = t;
  return latest;
}

void keep_history(Stage& stage, const api::Object& cron, const OwnedIndex::Names& jobs,
                  std::string_view finish, const Tree& limit) {
  if (!limit.is_number()) return;
  std::vector<ObjectPtr> done;
  for (const auto& [name, job] : jobs)
    if (finish_of(*job) == finish && !job->terminating()) done.push_back(job);
  std::sort(done.begin(), done.end(), [](const ObjectPtr& a, const ObjectPtr& b) {
    return std::pair(a->status()["startTime"].string(), a->name()) <
           std::pair(b->status()["startTime"].string(), b->name());
  });
  for (std::size_t i = 0; i + static_cast<std::size_t>(limit.integer()) < done.size(); ++i) {
    const auto outcome =
        stage.api.remove(ResourceId::Jobs, done[i]->ns(), done[i]->name(), {.propagation = "Background"});
    if (outcome.ok())
      record(stage, kComponent, cron, "Normal", "SuccessfulDelete",
             fmt::format("Deleted job {}", done[i]->name()));
  }
}

// status.active as it is to be: unfinished jobs that were in it, and lastSuccessfulTime.
Tree settle(Stage& stage, const api::Object& cron, const OwnedIndex::Names& jobs) {
  Tree status = cron.status().is_object() ? cron.status() : Tree::object();
  Tree active = Tree::array();
  for (const Tree& reference : std::as_const(status)["active"].elements()) {
    const auto job = jobs.find(reference["name"].string());
    if (job == jobs.end() || job->second->uid() != reference["uid"].string()) {
      record(stage, kComponent, cron, "Normal", "MissingJob",
             fmt::format("Active job went missing: {}", reference["name"].string()));
    } else if (const auto finish = finish_of(*job->second); !finish.empty()) {
      record(stage, kComponent, cron, "Normal", "SawCompletedJob",
             fmt::format("Saw completed job: {}, condition: {}", job->first, finish));
    } else {
      active.append(reference);
    }
  }
  for (const auto& [name, job] : jobs) {
    const std::string_view completed = job->status()["completionTime"].string();
    if (finish_of(*job) == "Complete" && completed > status["lastSuccessfulTime"].string())
      status.set("lastSuccessfulTime", completed);
  }
  if (active.empty())
    status.erase("active");
  else
    status.set("active", std::move(active));
  return status;
}

// False: it could not be made.
bool start(Stage& stage, const api::Object& cron, Time due, Tree& status) {
  const Tree& job_template = cron.spec()["jobTemplate"];
  const std::string name = fmt::format("{}-{}", cron.name(), due.unix_seconds() / 60);
  Tree metadata = Tree::object({{"name", name}});
  if (!job_template["metadata"]["labels"].empty()) metadata.set("labels", job_template["metadata"]["labels"]);
  metadata.set("annotations", job_template["metadata"]["annotations"]);
  metadata.ensure("annotations")
      .set("batch.kubernetes.io/cronjob-scheduled-timestamp", api::format_time(due));
  metadata.ensure("ownerReferences").append(api::owner_reference(cron));
  const auto outcome = stage.api.create(ResourceId::Jobs, cron.ns(),
                                        Tree::object({{"apiVersion", "batch/v1"},
                                                      {"kind", "Job"},
                                                      {"metadata", std::move(metadata)},
                                                      {"spec", job_template["spec"]}}),
                                        as_controller_manager());
  if (!outcome.ok() && outcome.reason() != "AlreadyExists") {
    record(stage, kComponent, cron, "Warning", "FailedCreate",
           fmt::format("Error creating job: {}", outcome.message()));
    return false;
  }
  const auto job = stage.api.get(ResourceId::Jobs, cron.ns(), name);
  if (!job || api::controller_of(*job)["uid"].string() != cron.uid()) return true;
  if (outcome.ok())
    record(stage, kComponent, cron, "Normal", "SuccessfulCreate", fmt::format("Created job {}", name));
  status.ensure("active").append(Tree::object({{"apiVersion", "batch/v1"},
                                               {"kind", "Job"},
                                               {"name", name},
                                               {"namespace", cron.ns()},
                                               {"uid", job->uid()},
                                               {"resourceVersion", job->metadata()["resourceVersion"]}}));
  status.set("lastScheduleTime", api::format_time(due));
  return true;
}

}  // namespace

void CronJobs::changed(Stage& stage, const api::Change& change) {
  jobs_.apply(change);
  if (change.resource == ResourceId::CronJobs && change.after)
    queue_.add(stage, Actor::CronJobs, 0, change.after->ns(), change.after->name());
  if (change.resource != ResourceId::Jobs) return;
  const Tree& owner = api::controller_of(change.object());
  if (owner["kind"].string() != "CronJob") return;
  // Only its end matters.
  if (change.before && change.after && finish_of(*change.before) == finish_of(*change.after)) return;
  queue_.add(stage, Actor::CronJobs, 0, change.object().ns(), owner["name"].string());
}

void CronJobs::happen(Stage& stage, const Event& event) {
  queue_.take(event);
  schedule_.take(stage, event);
  const auto cron = stage.api.get(ResourceId::CronJobs, event.ns, event.name);
  if (!cron) return retries_.succeeded(event.ns, event.name);
  const Tree& spec = cron->spec();
  const OwnedIndex::Names& jobs = jobs_.of(cron->uid());
  Tree status = settle(stage, *cron, jobs);
  bool failed = false;

  const auto schedule = wire::parse_cron(spec["schedule"].string());
  if (!schedule.ok()) {
    record(stage, kComponent, *cron, "Warning", "UnparseableSchedule",
           fmt::format("unparseable schedule: \"{}\"", spec["schedule"].string()));
  } else if (!cron->terminating() && !spec["suspend"].boolean()) {
    Time since = time_of(status["lastScheduleTime"])
                     .value_or(time_of(cron->metadata()["creationTimestamp"]).value_or(stage.now));
    const Tree& deadline = spec["startingDeadlineSeconds"];
    Time earliest = since;
    if (deadline.is_number()) earliest = std::max(since, stage.now - Duration::seconds(deadline.integer()));
    const auto due = latest_due(*schedule, earliest, stage.now);
    const std::string_view policy = spec["concurrencyPolicy"].string();
    const bool busy = !std::as_const(status)["active"].empty();
    if (due && busy && policy == "Forbid") {
      record(stage, kComponent, *cron, "Normal", "JobAlreadyActive",
             "Not starting job because prior execution is running and concurrency policy is Forbid");
    } else if (due) {
      if (busy && policy == "Replace") {
        for (const Tree& reference : std::as_const(status)["active"].elements()) {
          const auto outcome = stage.api.remove(ResourceId::Jobs, event.ns, reference["name"].string(),
                                                {.propagation = "Background"});
          if (outcome.ok())
            record(stage, kComponent, *cron, "Normal", "SuccessfulDelete",
                   fmt::format("Deleted job {}", reference["name"].string()));
        }
        status.erase("active");
      }
      failed = !start(stage, *cron, *due, status);
    }
    // A tenth of a second late, so that clocks that differ do not miss it.
    if (const auto next = next_time(*schedule, stage.now))
      schedule_.set(stage, *next + Duration::nanoseconds(100'000'000), Actor::CronJobs, 0, event.ns,
                    event.name);
  }
  keep_history(stage, *cron, jobs, "Complete", spec["successfulJobsHistoryLimit"]);
  keep_history(stage, *cron, jobs, "Failed", spec["failedJobsHistoryLimit"]);
  if (!(status == cron->status()))
    stage.api.modify(
        ResourceId::CronJobs, event.ns, event.name,
        [&](Tree& tree) {
          if (tree["metadata"]["uid"].string() == cron->uid()) tree.set("status", status);
        },
        as_controller_manager("status"));
  if (!failed) return retries_.succeeded(event.ns, event.name);
  queue_.add_after(stage, retries_.failed(event.ns, event.name), Actor::CronJobs, 0, event.ns, event.name);
}

}  // namespace tamp::world
