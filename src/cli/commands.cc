#include "cli/commands.h"

#include <algorithm>

#include "cli/files.h"
#include "documents/explain_document.h"
#include "documents/fits_document.h"
#include "documents/plan_document.h"
#include "explain/explain_report.h"
#include "explain/fits_report.h"
#include "explain/plan_report.h"
#include "fit/fits.h"
#include "proof/prover.h"
#include "search/plan.h"
#include "search/road.h"
#include "situation/resolve_settings.h"
#include "wire/observation.h"

namespace tamp::cli {
namespace {

constexpr std::size_t kWarningsShown = 100;

struct Loaded {
  Cluster cluster;
  Settings settings;
  std::optional<AutoscalerStatus> autoscaler;
  std::optional<Time> last_node_deleted;
  NodeId leader_node;

  situation::Context context(Time now) const {
    return {cluster, settings, now, last_node_deleted, leader_node};
  }
};

Result<Loaded> load(const Invocation& run) {
  TAMP_TRY(ClusterReading found, run.source());
  wire::Reading& reading = found.reading;
  for (std::size_t i = 0; i < std::min(reading.warnings.size(), kWarningsShown); ++i)
    run.warn("warning: " + reading.warnings[i]);
  if (reading.warnings.size() > kWarningsShown)
    run.warn("warning: " + std::to_string(reading.warnings.size() - kWarningsShown) + " more like these");
  std::string ignored;
  for (const auto& [kind, n] : reading.ignored)
    ignored += (ignored.empty() ? "" : ", ") + std::to_string(n) + " " + kind;
  if (!ignored.empty()) run.warn("kinds that play no part were ignored: " + ignored);
  for (const std::string& note : run.options.notes) run.warn(note);
  Settings settings = situation::resolve_settings(reading.cluster, run.options.settings);
  const std::optional<Time>& given = run.options.last_node_deleted;
  return Loaded{std::move(reading.cluster), std::move(settings), std::move(reading.autoscaler),
                given ? given : found.last_node_deleted, found.leader_node};
}

void say_planner(const Invocation& run) {
  if (!run.options.planner_given && run.options.format != Format::Table)
    run.warn("decided on requests alone (--planner Requests), without measurements");
}

// None without --observe: then nothing can be proven, and the plan says so.
Result<Observations> read_measurements(const Options& options) {
  if (!options.observe) return Observations{};
  TAMP_TRY(const wire::Input input, read_input(*options.observe));
  auto observations = wire::read_observations(input.bytes);
  if (!observations) return std::move(observations).error().with(input.name);
  return observations;
}

// Names that contain what was asked for, to help with typing errors.
std::string similar_nodes(const Cluster& cluster, const std::string& asked) {
  std::string out;
  std::size_t found = 0;
  for (const Node& node : cluster.nodes) {
    if (cluster.text(node.name).find(asked) == std::string_view::npos) continue;
    if (++found > 3) break;
    out += (out.empty() ? "; did you mean " : ", ") + std::string(cluster.text(node.name));
  }
  return out;
}

// NAMESPACE/POD, or POD in whatever namespace; all of them for --all. Pods that finished or are being deleted will not
// be scheduled again.
Result<std::vector<PodId>> pods_asked_for(const Cluster& cluster, const Options& options) {
  const std::size_t slash = options.subject.find('/');
  const std::string ns = slash == std::string::npos ? "" : options.subject.substr(0, slash);
  const std::string name = slash == std::string::npos ? options.subject : options.subject.substr(slash + 1);
  std::vector<PodId> pods;
  bool gone = false;
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    const Pod& pod = cluster.pods[i];
    if (!options.all_pods &&
        (cluster.text(pod.name) != name || (slash != std::string::npos && cluster.text(pod.ns) != ns)))
      continue;
    if (pod.active())
      pods.push_back(PodId{i});
    else
      gone = true;
  }
  if (!pods.empty() || options.all_pods) return pods;
  if (gone)
    return Error{"pod " + options.subject + " has finished or is being deleted: nobody will schedule it"};
  return Error{"there is no pod " + options.subject + " in the cluster"};
}

}  // namespace

Result<std::string> run_plan(const Invocation& run) {
  const double start = run.stopwatch();
  TAMP_TRY(const Loaded loaded, load(run));
  say_planner(run);
  const situation::Context context = loaded.context(run.now);
  const double read = run.stopwatch();
  const search::Plan plan = search::make_plan(context, run.options.plan);
  std::optional<proof::Proposal> proposal;
  if (run.options.slo) {
    TAMP_TRY(const Observations observations, read_measurements(run.options));
    proposal = proof::propose(
        {context, observations, true, false, loaded.autoscaler ? &*loaded.autoscaler : nullptr}, plan);
  }
  std::optional<search::Road> road;
  if (run.options.steps)
    road = search::make_road(context, run.options.plan,
                             {.steps = *run.options.steps, .target = run.options.target_cost});
  const double planned = run.stopwatch();

  explain::PlanReport report{loaded.cluster, plan, run.options.plan.every, nullptr, std::nullopt};
  if (proposal) report.proposal = &*proposal;
  if (road) report.road = &*road;
  if (run.options.timings) report.timings = explain::Timings{read - start, planned - read};
  switch (run.options.format) {
    case Format::Json:
      return documents::plan_json(report);
    case Format::Yaml:
      return documents::plan_yaml(report);
    case Format::Table:
      break;
  }
  std::optional<search::Plan> alternatives;
  if (run.options.all_methods && !run.options.plan.every) {
    search::PlanOptions each = run.options.plan;
    each.every = true;
    alternatives = search::make_plan(context, each);
    report.alternatives = &*alternatives;
  }
  return explain::plan_page(report, run.style);
}

Result<std::string> run_explain(const Invocation& run) {
  TAMP_TRY(const Loaded loaded, load(run));
  const NodeId node = loaded.cluster.find_node(run.options.subject);
  if (!node.valid())
    return Error{"there is no node " + run.options.subject + " in the cluster" +
                 similar_nodes(loaded.cluster, run.options.subject)};
  say_planner(run);
  const situation::Context context = loaded.context(run.now);
  const explain::Explanation explanation = explain::explain_node(context, node);
  const explain::ExplainReport report{loaded.cluster, explanation, run.now, loaded.settings.tiers};
  switch (run.options.format) {
    case Format::Json:
      return documents::explain_json(report);
    case Format::Yaml:
      return documents::explain_yaml(report);
    case Format::Table:
      break;
  }
  return explain::explain_page(report, run.style);
}

Result<std::string> run_fits(const Invocation& run) {
  TAMP_TRY(const Loaded loaded, load(run));
  TAMP_TRY(const std::vector<PodId> pods, pods_asked_for(loaded.cluster, run.options));
  const std::vector<fit::PodFit> fits = fit::fits(loaded.cluster, pods);
  switch (run.options.format) {
    case Format::Json:
      return documents::fits_json(loaded.cluster, fits);
    case Format::Yaml:
      return documents::fits_yaml(loaded.cluster, fits);
    case Format::Table:
      break;
  }
  return explain::fits_page(loaded.cluster, fits, run.style);
}

}  // namespace tamp::cli
