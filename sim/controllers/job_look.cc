#include "sim/controllers/job_look.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "sim/controllers/pod_facts.h"
#include "sim/controllers/pod_from_template.h"
#include "sim/controllers/record.h"

namespace tamp::world {
namespace {

using api::ObjectPtr;
using api::ResourceId;
using api::Tree;

constexpr std::string_view kComponent = "job-controller";
constexpr std::string_view kTracking = "batch.kubernetes.io/job-tracking";
constexpr std::string_view kIndex = "batch.kubernetes.io/job-completion-index";
constexpr std::int64_t kBurst = 500;
constexpr Duration kFirstWait = Duration::seconds(10), kLongestWait = Duration::minutes(10);

// "0-2,5" and back.
std::set<std::int64_t> read_indexes(std::string_view text) {
  std::set<std::int64_t> indexes;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    std::int64_t first = 0, last = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + comma, first);
    last = first;
    if (error == std::errc() && rest < text.data() + comma && *rest == '-')
      std::from_chars(rest + 1, text.data() + comma, last);
    for (std::int64_t i = first; i <= last; ++i) indexes.insert(i);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return indexes;
}

std::string write_indexes(const std::set<std::int64_t>& indexes) {
  std::string text;
  for (auto it = indexes.begin(); it != indexes.end();) {
    const std::int64_t first = *it;
    std::int64_t last = first;
    while (++it != indexes.end() && *it == last + 1) ++last;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", first);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ',' : '-', last);
  }
  return text;
}

std::optional<std::int64_t> index_of(const api::Object& pod) {
  const std::string_view text = annotation_of(pod, kIndex);
  std::int64_t index = 0;
  if (text.empty() || std::from_chars(text.data(), text.data() + text.size(), index).ec != std::errc())
    return {};
  return index;
}

}  // namespace

std::string_view finish_of(const api::Object& job) {
  for (const std::string_view type : {"Complete", "Failed"})
    if (api::condition_true(job.tree(), type)) return type;
  return {};
}

bool is_tracked(const api::Object& pod) {
  const auto& finalizers = pod.metadata()["finalizers"].elements();
  return std::any_of(finalizers.begin(), finalizers.end(),
                     [](const Tree& f) { return f.string() == kTracking; });
}

void stop_tracking(Stage& stage, const api::Object& pod) {
  stage.api.modify(
      ResourceId::Pods, pod.ns(), pod.name(),
      [&](Tree& tree) {
        if (tree["metadata"]["uid"].string() != pod.uid()) return;
        auto& finalizers = tree.ensure({"metadata", "finalizers"}).elements();
        std::erase_if(finalizers, [](const Tree& f) { return f.string() == kTracking; });
        if (finalizers.empty()) tree.ensure("metadata").erase("finalizers");
      },
      as_controller_manager());
}

JobLook::JobLook(Stage& stage, const api::Object& job, const std::vector<ObjectPtr>& pods,
                 JobBackoff& backoff)
    : stage_(stage),
      job_(job),
      spec_(job.spec()),
      backoff_(backoff),
      wrapped_(Tree::object({{"status", job.status().is_object() ? job.status() : Tree::object()}})),
      indexed_(spec_["completionMode"].string() == "Indexed") {
  if (!status().has("startTime") && !spec_["suspend"].boolean())
    wrapped_.ensure("status").set("startTime", api::format_time(stage.now));
  count(pods);
}

bool JobLook::run() {
  const auto lost = failure();
  if (lost)
    finish(false, *lost);
  else if (succeeded())
    finish(true, {"CompletionsReached", "Reached expected number of succeeded pods"});
  else if (!job_.terminating() && spec_["suspend"].boolean())
    suspend();
  else if (!job_.terminating())
    resume();
  return write() && !refused_;
}

// Pods that are being deleted have failed, unless they succeeded before.
void JobLook::count(const std::vector<ObjectPtr>& pods) {
  done_ = read_indexes(status()["completedIndexes"].string());
  succeeded_ = status()["succeeded"].integer();
  failed_ = status()["failed"].integer();
  for (const auto& pod : pods) {
    if (!is_terminal(*pod)) {
      if (!pod->terminating()) {
        active_.push_back(pod);
        ready_ += is_ready(*pod) ? 1 : 0;
        if (const auto index = index_of(*pod)) busy_.insert(*index);
        continue;
      }
      ++terminating_;
    }
    if (!is_tracked(*pod)) continue;
    counted_.push_back(pod);
    if (phase_of(*pod) == "Succeeded") {
      ++succeeded_;
      if (const auto index = index_of(*pod)) done_.insert(*index);
      backoff_.failures = 0;
    } else {
      ++failed_;
      ++backoff_.failures;
      backoff_.last = stage_.now;
    }
  }
  if (indexed_) {
    succeeded_ = static_cast<std::int64_t>(done_.size());
    if (!done_.empty()) wrapped_.ensure("status").set("completedIndexes", write_indexes(done_));
  }
  put("succeeded", succeeded_);
  put("failed", failed_);
}

std::optional<JobLook::Verdict> JobLook::failure() const {
  if (const Tree* target = api::find_condition(wrapped_, "FailureTarget"))
    return Verdict{std::string((*target)["reason"].string()), std::string((*target)["message"].string())};
  if (spec_["suspend"].boolean()) return {};
  const std::int64_t limit = spec_["backoffLimit"].integer(6);
  bool exceeded = failed_ > limit;
  if (spec_["template"]["spec"]["restartPolicy"].string() == "OnFailure") {
    std::int64_t restarts = 0;
    for (const auto& pod : active_)
      for (const std::string_view kind : {"initContainerStatuses", "containerStatuses"})
        for (const Tree& container : pod->status()[kind].elements())
          restarts += container["restartCount"].integer();
    exceeded |= limit == 0 ? restarts > 0 : restarts >= limit;
  }
  if (exceeded) return Verdict{"BackoffLimitExceeded", "Job has reached the specified backoff limit"};
  const Tree& deadline = spec_["activeDeadlineSeconds"];
  const auto started = time_of(status()["startTime"]);
  if (deadline.is_number() && started && *started + Duration::seconds(deadline.integer()) <= stage_.now)
    return Verdict{"DeadlineExceeded", "Job was active longer than specified deadline"};
  return {};
}

// Without a number of completions one success is enough, once the others have ended too.
bool JobLook::succeeded() const {
  if (job_.terminating()) return false;
  return spec_["completions"].is_number() ? succeeded_ >= spec_["completions"].integer()
                                          : succeeded_ > 0 && active_.empty();
}

// First the criterion, then, when no pod runs any more, the end.
void JobLook::finish(bool success, const Verdict& verdict) {
  const auto set = [&](std::string_view type) {
    set_condition(type, "True", verdict.reason, verdict.message);
  };
  set(success ? "SuccessCriteriaMet" : "FailureTarget");
  end(active_.size());
  if (terminating_ > 0 || !active_.empty()) return;
  set(success ? "Complete" : "Failed");
  if (success) wrapped_.ensure("status").set("completionTime", api::format_time(stage_.now));
  ready_ = 0;
  over_ = success ? Verdict{"Completed", "Job completed"} : verdict;
}

void JobLook::suspend() {
  end(active_.size());
  if (!set_condition("Suspended", "True", "JobSuspended", "Job suspended")) return;
  wrapped_.ensure("status").erase("startTime");
  record(stage_, kComponent, job_, "Normal", "Suspended", "Job suspended");
}

void JobLook::resume() {
  if (api::condition_true(wrapped_, "Suspended")) {
    set_condition("Suspended", "False", "JobResumed", "Job resumed");
    wrapped_.ensure("status").set("startTime", api::format_time(stage_.now));
    record(stage_, kComponent, job_, "Normal", "Resumed", "Job resumed");
  }
  fit_size();
  const Tree& deadline = spec_["activeDeadlineSeconds"];
  const auto started = time_of(status()["startTime"]);
  if (deadline.is_number() && started) look_again(*started + Duration::seconds(deadline.integer()));
}

void JobLook::fit_size() {
  const auto have = static_cast<std::int64_t>(active_.size());
  const std::int64_t parallelism = spec_["parallelism"].integer(1);
  std::int64_t want = succeeded_ > 0 ? have : parallelism;
  if (spec_["completions"].is_number())
    want = std::min(spec_["completions"].integer() - succeeded_, parallelism);
  if (have > want) return end(static_cast<std::size_t>(have - want));
  if (have == want) return;
  if (backoff_.failures > 0) {
    const auto doublings = std::min<std::int64_t>(backoff_.failures - 1, 20);
    const Time due = backoff_.last + std::min(Duration{kFirstWait.ns << doublings}, kLongestWait);
    if (due > stage_.now) return look_again(due);
  }
  make(std::min(want - have, kBurst));
}

Tree JobLook::new_pod(std::int64_t index) const {
  Tree pod = pod_from_template(spec_["template"], job_);
  Tree& metadata = pod.ensure("metadata");
  metadata.ensure("finalizers").append(kTracking);
  if (!indexed_) return pod;
  const std::string text = fmt::format("{}", index), name = fmt::format("{}-{}", job_.name(), index);
  metadata.set("generateName", name + "-");
  metadata.ensure("labels").set(kIndex, text);
  metadata.ensure("annotations").set(kIndex, text);
  pod.ensure("spec").set("hostname", name);
  const Tree from = Tree::object(
      {{"fieldRef", Tree::object({{"fieldPath", fmt::format("metadata.labels['{}']", kIndex)}})}});
  for (Tree& container : pod.ensure({"spec", "containers"}).elements())
    container.ensure("env").append(Tree::object({{"name", "JOB_COMPLETION_INDEX"}, {"valueFrom", from}}));
  return pod;
}

void JobLook::make(std::int64_t count) {
  std::int64_t index = 0;
  for (std::int64_t i = 0; i < count && !refused_; ++i) {
    while (indexed_ && (done_.contains(index) || busy_.contains(index))) ++index;
    if (indexed_ && index >= spec_["completions"].integer()) return;
    busy_.insert(index);
    const auto outcome =
        stage_.api.create(ResourceId::Pods, job_.ns(), new_pod(index), as_controller_manager());
    if (outcome.ok()) {
      record(stage_, kComponent, job_, "Normal", "SuccessfulCreate",
             fmt::format("Created pod: {}", outcome.object->name()));
      active_.push_back(outcome.object);
    } else {
      record(stage_, kComponent, job_, "Warning", "FailedCreate",
             fmt::format("Error creating: {}", outcome.message()));
      refused_ = true;
    }
  }
}

// Pods that have not got far go first.
void JobLook::end(std::size_t count) {
  const auto rank = [](const api::Object& pod) {
    return std::tuple(!node_of(pod).empty(), phase_of(pod) == "Running", is_ready(pod), pod.name());
  };
  std::sort(active_.begin(), active_.end(),
            [&](const ObjectPtr& a, const ObjectPtr& b) { return rank(*a) < rank(*b); });
  count = std::min(count, active_.size());
  for (std::size_t i = 0; i < count; ++i) {
    const api::Object& pod = *active_[i];
    const auto outcome =
        stage_.api.remove(ResourceId::Pods, pod.ns(), pod.name(), {.uid = std::string(pod.uid())});
    if (outcome.ok())
      record(stage_, kComponent, job_, "Normal", "SuccessfulDelete",
             fmt::format("Deleted pod: {}", pod.name()));
    refused_ |= !outcome.ok() && outcome.code != 404;
    ++terminating_;
  }
  active_.erase(active_.begin(), active_.begin() + static_cast<std::ptrdiff_t>(count));
}

bool JobLook::write() {
  put("active", static_cast<std::int64_t>(active_.size()));
  put("terminating", terminating_, true);
  put("ready", ready_, true);
  wrapped_.ensure("status").set("uncountedTerminatedPods", Tree::object());
  if (!(status() == job_.status())) {
    const auto outcome = stage_.api.modify(
        ResourceId::Jobs, job_.ns(), job_.name(),
        [&](Tree& tree) {
          if (tree["metadata"]["uid"].string() == job_.uid()) tree.set("status", status());
        },
        as_controller_manager("status"));
    if (!outcome.ok()) return false;
    if (over_)
      record(stage_, kComponent, job_, over_->reason == "Completed" ? "Normal" : "Warning", over_->reason,
             over_->message);
  }
  // What is in the status may go from the pods.
  for (const auto& pod : counted_) stop_tracking(stage_, *pod);
  return true;
}

bool JobLook::set_condition(std::string_view type, std::string_view status, std::string_view reason,
                            std::string_view message) {
  if (!api::set_condition(wrapped_, type, status, reason, message, stage_.now)) return false;
  for (Tree& condition : wrapped_.ensure({"status", "conditions"}).elements())
    if (condition["type"].string() == type) condition.set("lastProbeTime", api::format_time(stage_.now));
  return true;
}

void JobLook::put(std::string_view key, std::int64_t value, bool always) {
  Tree& status = wrapped_.ensure("status");
  if (value != 0 || always)
    status.set(key, value);
  else
    status.erase(key);
}

}  // namespace tamp::world
