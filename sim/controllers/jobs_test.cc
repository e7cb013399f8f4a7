#include "sim/controllers/jobs.h"

#include "sim/controllers/controllers_testing.h"
#include "sim/controllers/cron_time.h"
#include "wire/cron.h"

namespace tamp::world::testing {
namespace {

constexpr auto kJobs = ResourceId::Jobs;

std::string job_spec(const std::string& more) {
  return R"({"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"a"}]}})" + more +
         "}";
}
std::string job(const std::string& more) {
  return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"work"},"spec":)" + job_spec(more) + "}";
}

// Ends all running pods, one second later.
void end_running(Cluster& cluster, std::string_view phase) {
  for (const auto& pod : cluster.pods())
    if (phase_of(*pod) == "Running" && is_active(*pod))
      cluster.api.modify(ResourceId::Pods, "default", pod->name(),
                         [&](Tree& tree) {
                           tree.ensure("status").set("phase", phase);
                           api::set_condition(tree, "Ready", "False", "PodCompleted", "", cluster.now());
                         },
                         {.subresource = "status"});
  cluster.run(Duration::seconds(1));
}

std::string ended(const Cluster& cluster) {
  const auto object = cluster.get(kJobs, "work");
  for (const char* type : {"Complete", "Failed"})
    if (api::condition_true(object->tree(), type))
      return std::string(type) + " " +
             std::string((*api::find_condition(object->tree(), type))["reason"].string());
  return "";
}

TEST(Jobs, RunsPodsInParallelUntilEnoughHaveSucceeded) {
  Cluster cluster;
  cluster.make(kJobs, "default", job(R"(,"completions":3,"parallelism":2)"));
  cluster.run(Duration::seconds(5));
  EXPECT_EQ(cluster.active(), 2);
  EXPECT_EQ(cluster.get(kJobs, "work")->status()["active"].integer(), 2);
  end_running(cluster, "Succeeded");
  cluster.run(Duration::seconds(5));
  EXPECT_EQ(cluster.active(), 1);
  EXPECT_EQ(ended(cluster), "");
  end_running(cluster, "Succeeded");
  cluster.run(Duration::seconds(5));
  EXPECT_EQ(ended(cluster), "Complete CompletionsReached");
  const auto done = cluster.get(kJobs, "work");
  EXPECT_EQ(done->status()["succeeded"].integer(), 3);
  EXPECT_FALSE(done->status().has("active"));
  EXPECT_TRUE(done->status().has("completionTime"));
  EXPECT_EQ(cluster.pods().size(), 3u);
  for (const auto& pod : cluster.pods()) EXPECT_TRUE(pod->metadata()["finalizers"].empty());
}

TEST(Jobs, WaitsLongerAfterEachFailureAndGivesUpAtTheLimit) {
  Cluster cluster;
  cluster.make(kJobs, "default", job(R"(,"backoffLimit":1)"));
  cluster.run(Duration::seconds(5));
  end_running(cluster, "Failed");
  cluster.run(Duration::seconds(5));
  EXPECT_EQ(cluster.active(), 0);  // 10 s must pass
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(cluster.active(), 1);
  EXPECT_EQ(ended(cluster), "");
  end_running(cluster, "Failed");
  cluster.run(Duration::seconds(5));
  EXPECT_EQ(ended(cluster), "Failed BackoffLimitExceeded");
  EXPECT_EQ(cluster.get(kJobs, "work")->status()["failed"].integer(), 2);
}

TEST(Jobs, EndsAtItsDeadline) {
  Cluster cluster;
  cluster.make(kJobs, "default", job(R"(,"activeDeadlineSeconds":30)"));
  cluster.run(Duration::seconds(20));
  EXPECT_EQ(cluster.active(), 1);
  cluster.run(Duration::seconds(20));
  EXPECT_EQ(ended(cluster), "Failed DeadlineExceeded");
  EXPECT_EQ(cluster.active(), 0);
}

TEST(Jobs, AnEvictedPodIsReplacedAndCountsAsFailed) {
  Cluster cluster;
  cluster.make(kJobs, "default", job(""));
  cluster.run(Duration::seconds(5));
  cluster.api.evict("default", cluster.pods().front()->name());
  cluster.run(Duration::seconds(30));
  EXPECT_EQ(cluster.active(), 1);
  EXPECT_EQ(cluster.pods().size(), 1u);
  EXPECT_EQ(cluster.get(kJobs, "work")->status()["failed"].integer(), 1);
}

TEST(Jobs, AnIndexedJobRunsEachIndexOnce) {
  Cluster cluster;
  cluster.make(kJobs, "default", job(R"(,"completions":3,"parallelism":3,"completionMode":"Indexed")"));
  cluster.run(Duration::seconds(5));
  std::set<std::string> indexes;
  for (const auto& pod : cluster.pods())
    indexes.emplace(annotation_of(*pod, "batch.kubernetes.io/job-completion-index"));
  EXPECT_EQ(indexes, (std::set<std::string>{"0", "1", "2"}));
  end_running(cluster, "Succeeded");
  cluster.run(Duration::seconds(5));
  EXPECT_EQ(cluster.get(kJobs, "work")->status()["completedIndexes"].string(), "0-2");
  EXPECT_EQ(ended(cluster), "Complete CompletionsReached");
}

TEST(Jobs, AFinishedJobGoesAfterItsTimeToLive) {
  Cluster cluster;
  cluster.make(kJobs, "default", job(R"(,"ttlSecondsAfterFinished":60)"));
  cluster.run(Duration::seconds(5));
  end_running(cluster, "Succeeded");
  cluster.run(Duration::seconds(30));
  EXPECT_TRUE(cluster.get(kJobs, "work"));
  cluster.run(Duration::seconds(60));
  EXPECT_FALSE(cluster.get(kJobs, "work"));
  EXPECT_TRUE(cluster.pods().empty());
}

TEST(Jobs, ASuspendedJobHasNoPodsUntilItIsResumed) {
  Cluster cluster;
  cluster.make(kJobs, "default", job(R"(,"suspend":true)"));
  cluster.run(Duration::seconds(10));
  EXPECT_TRUE(cluster.pods().empty());
  EXPECT_TRUE(api::condition_true(cluster.get(kJobs, "work")->tree(), "Suspended"));
  cluster.api.modify(kJobs, "default", "work", [](Tree& tree) { tree.ensure("spec").set("suspend", false); });
  cluster.run(Duration::seconds(10));
  EXPECT_EQ(cluster.active(), 1);
}

std::string cron_job(const std::string& schedule, const std::string& more = "") {
  return R"({"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"nightly"},"spec":{"schedule":")" +
         schedule + R"(","jobTemplate":{"spec":)" + job_spec("") + "}" + more + "}}";
}

TEST(CronJobs, MakesAJobAtEachTimeAndKeepsAShortHistory) {
  Cluster cluster;
  cluster.make(ResourceId::CronJobs, "default",
               cron_job("*/5 * * * *", R"(,"successfulJobsHistoryLimit":2)"));
  for (int i = 0; i < 60; ++i) {
    cluster.run(Duration::seconds(30));
    end_running(cluster, "Succeeded");
  }
  EXPECT_EQ(cluster.api.list(kJobs, "default").size(), 2u);
  const auto cron = cluster.get(ResourceId::CronJobs, "nightly");
  EXPECT_TRUE(cron->status().has("lastScheduleTime"));
  EXPECT_TRUE(cron->status().has("lastSuccessfulTime"));
  EXPECT_TRUE(cron->status()["active"].empty());
}

TEST(CronJobs, ForbidSkipsWhileAJobRunsAndReplaceEndsIt) {
  for (const auto& [policy, jobs] :
       {std::pair("Allow", 3u), std::pair("Forbid", 1u), std::pair("Replace", 1u)}) {
    Cluster cluster;
    cluster.make(ResourceId::CronJobs, "default",
                 cron_job("*/5 * * * *", std::string(R"(,"concurrencyPolicy":")") + policy + R"(")"));
    cluster.run(Duration::minutes(16));
    EXPECT_EQ(cluster.api.list(kJobs, "default").size(), jobs) << policy;
  }
}

TEST(CronTime, FindsTheNextMoment) {
  const auto next = [](const char* schedule, const char* after) {
    const auto parsed = wire::parse_cron(schedule);
    EXPECT_TRUE(parsed.ok());
    const auto time = next_time(*parsed, *parse_rfc3339(after));
    return time ? format_rfc3339(*time) : std::string("never");
  };
  EXPECT_EQ(next("*/5 * * * *", "2026-11-15T00:00:00Z"), "2026-11-15T00:05:00Z");
  EXPECT_EQ(next("30 6 * * 1-5", "2026-11-13T07:00:00Z"), "2026-11-16T06:30:00Z");  // from a Friday to Monday
  EXPECT_EQ(next("0 0 1 * *", "2026-11-15T00:00:00Z"), "2026-12-01T00:00:00Z");
  EXPECT_EQ(next("0 0 29 2 *", "2026-11-15T00:00:00Z"), "2028-02-29T00:00:00Z");
  EXPECT_EQ(next("0 0 13 * 5", "2026-11-15T00:00:00Z"), "2026-11-20T00:00:00Z");  // a Friday or a 13th
  EXPECT_EQ(next("0 0 31 2 *", "2026-11-15T00:00:00Z"), "never");
  EXPECT_EQ(next("@every 90s", "2026-11-15T00:00:00Z"), "2026-11-15T00:01:30Z");
}

}  // namespace
}  // namespace tamp::world::testing
