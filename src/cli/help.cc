#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/flags.h"
#include "explain/layout.h"

namespace tamp::cli {
namespace {

constexpr std::string_view kKinds =
    "nodes,pods,namespaces,pdb,pv,pvc,storageclasses,csinodes,daemonsets,replicasets,replicationcontrollers,"
    "deployments,statefulsets,jobs,priorityclasses,nodepools.karpenter.sh,nodeclaims.karpenter.sh";

std::string flag_lines(std::uint32_t command) {
  std::vector<std::pair<std::string, const Flag*>> lines;
  std::size_t widest = 0;
  for (const Flag& flag : flags()) {
    if ((flag.commands & command) == 0) continue;
    std::string left = flag.letter[0] != '\0' ? std::string(flag.letter) + ", " + flag.name
                                              : std::string("    ") + flag.name;
    if (!flag.is_switch()) left += std::string(" ") + flag.value;
    lines.emplace_back(std::move(left), &flag);
  }
  constexpr std::size_t kColumn = 40;
  for (const auto& [left, flag] : lines)
    if (explain::display_width(left) <= kColumn) widest = std::max(widest, explain::display_width(left));
  std::string out;
  for (const auto& [left, flag] : lines) {
    out += "  " + left;
    const std::size_t width = explain::display_width(left);
    out += width <= widest ? std::string(widest - width + 2, ' ') : "\n" + std::string(widest + 4, ' ');
    out += flag->help;
    out += flag->environment[0] != '\0' ? std::string(" [") + flag->environment + "]\n" : "\n";
  }
  return out;
}

// clang-format off: the texts read as they print. {0} is the program as it was called.
constexpr std::string_view kGeneral =
    "Tamp packs a Kubernetes cluster onto fewer, cheaper nodes, and says why not for every node that "
    "stays.\n\n"
    "Usage:\n"
    "  {0} plan                    what to remove or replace now, and what it saves\n"
    "  {0} explain NODE            why (not) this node: every gate with its numbers\n"
    "  {0} fits POD|NS/POD|--all   where a pod could run, and why not elsewhere\n"
    "  {0} snapshot [FILE]         write the live cluster to a file that plan, explain and fits read\n"
    "  {0} status                  what is planned, and what is under way\n"
    "  {0} approve HASH            have the published plan carried out, under guards\n"
    "  {0} abort RUN               stop a run and take back whatever it did\n"
    "  {0} pause | resume          the kill switch: no evictions at all, or with --node this node alone\n"
    "  {0} runs | run show RUN     what was carried out, and how each run went\n"
    "  {0} export RUN DIR          a run's report, plan, phases, timeline, audit and snapshots as files\n"
    "  {0} audit verify RUN|FILE   check that a run's audit records are whole\n"
    "  {0} controller              watch the cluster, publish the plan, carry approved plans out\n"
    "  {0} demo                    a simulated cluster on this machine, to watch and to play with\n"
    "  {0} simulate                what rules of consolidation make of a day: cost, savings, disruption\n"
    "  {0} version\n\n"
    "Examples:\n"
    "  {0} plan                                        the cluster of the current context\n"
    "  {0} plan --instance-types types.json            with a machine catalogue: replacements, too\n"
    "  {0} plan -f cluster.json -o json                a cluster in a file, for tools\n"
    "  {0} explain ip-10-0-3-9\n"
    "  {0} snapshot cluster.json --mask                a cluster to send to somebody\n\n"
    "Without -f the cluster is read through the kubeconfig or the pod's account, and nothing in it is "
    "changed. Files\n"
    "may come from kubectl, too:\n\n";
// After the line that kubectl would need.
constexpr std::string_view kGeneralEnd =
    "\nEvery flag can be set by the environment variable in brackets after it: {0} plan --help lists them.\n"
    "Exit status: 0 decided (also when there is nothing to do), 2 bad input or usage, 1 anything else.\n";

struct CommandText {
  std::uint32_t command;
  std::string_view text;
};
constexpr CommandText kCommands[] = {
    {kPlan,
     "Decides what to consolidate: empty nodes, several nodes at once, single nodes, in this order; and "
     "says\n"
     "for every node that stays which gate keeps it.\n\n"
     "Usage:\n  {0} plan [-f FILE]… [flags]\n\n"
     "Examples:\n"
     "  {0} plan\n"
     "  {0} plan -f cluster.json --instance-types types.json\n"
     "  {0} plan -f nodes.yaml -f pods.yaml --policy policy.yaml -o json\n"
     "  kubectl get nodes,pods -A -o json | {0} plan -f -\n"},
    {kExplain,
     "Says why a node can go or stays: every gate in order with its numbers and where each setting came\n"
     "from, which pods have no place, the cheapest rejected replacement, and what would have to change.\n\n"
     "Usage:\n  {0} explain NODE [-f FILE]… [flags]\n\n"
     "Example:\n  {0} explain ip-10-0-3-9\n  {0} explain ip-10-0-3-9 -f cluster.json\n"},
    {kFits,
     "Says where a pod could run, by the scheduler's filters alone. A pod that runs is judged as if it had\n"
     "just been evicted. The reason is the filter's name as kube-scheduler calls it.\n\n"
     "Usage:\n  {0} fits POD|NAMESPACE/POD|--all [-f FILE]… [flags]\n\n"
     "Example:\n  {0} fits shop/cart-0 -f cluster.json\n"},
    {kController,
     "Watches the cluster, decides again when something has changed, and publishes the plan in the status "
     "of the\n"
     "TemperPolicy named default, with the reasons of nodes that stay there and in Events. A plan that "
     "was approved is\n"
     "carried out under guards if the policy's mode is Act. Several may run; one leads.\n\n"
     "Usage:\n  {0} controller [flags]\n"},
    {kDemo,
     "Starts a simulated cluster in this process, with the controller in it, and shows what happens. "
     "kubectl and\n"
     "tamp can talk to it as to any other; nothing outside of this machine is touched.\n\n"
     "Usage:\n  {0} demo [--scenario NAME|FILE] [flags]\n\n"
     "Examples:\n"
     "  {0} demo\n"
     "  {0} demo --scenario off-peak --speed 10 --kubeconfig demo.kubeconfig\n"},
    {kSimulate,
     "Replays a day, generated or from a trace, minute by minute under different rules of consolidation "
     "and says what each\n"
     "costs, saves and disrupts. Nothing outside of this process is touched.\n\n"
     "Usage:\n  {0} simulate [--trace FILE] [--sweep] [flags]\n\n"
     "Examples:\n"
     "  {0} simulate --seed 7\n"
     "  {0} simulate --trace day.csv --sweep --plots .\n"},
    {kStatus,
     "Shows the mode, the plan that is published now with the command that approves it, and runs that are "
     "not over.\n\n"
     "Usage:\n  {0} status [flags]\n"},
    {kApprove,
     "Approves the plan that is published now: creates a ConsolidationRun with its hash, under your own "
     "name. HASH is\n"
     "the whole hash or at least its first 12 digits; a plan that is no longer published is refused. You "
     "need the right\n"
     "to create consolidationruns.temper.codes (ClusterRole tamp-approver).\n\n"
     "Usage:\n  {0} approve HASH [--watch] [flags]\n\n"
     "Example:\n  {0} approve 0f3c5a9b21de --watch\n"},
    {kAbort,
     "Stops a run: nothing more is evicted, nodes are uncordoned, and whatever the run put on nodes is "
     "taken off again.\n"
     "Pods that have moved stay where they are.\n\n"
     "Usage:\n  {0} abort RUN [--watch] [flags]\n"},
    {kPause,
     "The kill switch (annotation temper.codes/pause): no run starts, and a running one evicts no more "
     "until it is\n"
     "resumed or aborted. With --node the node is neither victim nor survivor, and a run that touches it "
     "aborts.\n\n"
     "Usage:\n  {0} pause [--node NODE] [flags]\n"},
    {kResume,
     "Takes a pause back.\n\nUsage:\n  {0} resume [--node NODE] [flags]\n"},
    {kRuns,
     "Lists the runs, newest first.\n\nUsage:\n  {0} runs [flags]\n"},
    {kRun,
     "Shows one run: its phases, every change it made and what came of it, and its outcome. With --watch "
     "it stays and\n"
     "tells of every step until the run is over.\n\n"
     "Usage:\n  {0} run show RUN [--watch] [flags]\n"},
    {kExport,
     "Writes what there is to know of a run into DIR: REPORT.md, plan.json, final-status.json, phases.log,\n"
     "timeline.jsonl, audit.jsonl, and the nodes and pods before and after.\n\n"
     "Usage:\n  {0} export RUN DIR [flags]\n"},
    {kAudit,
     "Checks that the audit records of a run are whole: each carries the hash of the one before it, and "
     "the run's status\n"
     "the hash of the last. RUN|FILE is a run in the cluster or an audit.jsonl that export wrote.\n\n"
     "Usage:\n  {0} audit verify RUN|FILE [flags]\n"},
    {kSnapshot,
     "Writes what Tamp reads of the live cluster to FILE (or standard output), for -f. Environment "
     "variables,\n"
     "commands and foreign annotations of pods are left out; --mask also replaces names and images.\n\n"
     "Usage:\n  {0} snapshot [FILE] [flags]\n"},
};
// clang-format on

std::string_view text_of(std::uint32_t command) {
  const auto* known = std::ranges::find(kCommands, command, &CommandText::command);
  return known != std::end(kCommands) ? known->text : std::string_view();
}

}  // namespace

std::string kubectl_advice(std::string_view command_line) {
  return "  kubectl get " + std::string(kKinds) + " -A -o json | " + std::string(command_line) +
         " -f -\n\n"
         "Leave out the last two kinds where there is no Karpenter.\n";
}

std::string general_help(std::string_view program) {
  return fmt::format(fmt::runtime(kGeneral), program) + kubectl_advice(std::string(program) + " plan") +
         fmt::format(fmt::runtime(kGeneralEnd), program);
}

std::string command_help(std::string_view program, std::uint32_t command) {
  return fmt::format(fmt::runtime(text_of(command)), program) + "\nFlags:\n" + flag_lines(command);
}

}  // namespace tamp::cli
