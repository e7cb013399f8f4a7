#include "cli/help.h"

#include <algorithm>

#include "cli/flags.h"

namespace tamp::cli {
namespace {

constexpr std::string_view kKinds =
    "nodes,pods,namespaces,pdb,pv,pvc,storageclasses,csinodes,daemonsets,replicasets,replicationcontrollers,"
    "deployments,statefulsets,jobs,priorityclasses,nodepools.karpenter.sh,nodeclaims.karpenter.sh";

std::string flag_lines(std::uint8_t command) {
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
    if (left.size() <= kColumn) widest = std::max(widest, left.size());
  std::string out;
  for (const auto& [left, flag] : lines) {
    out += "  " + left;
    out += left.size() <= widest ? std::string(widest - left.size() + 2, ' ')
                                 : "\n" + std::string(widest + 4, ' ');
    out += flag->help;
    out += flag->environment[0] != '\0' ? std::string(" [") + flag->environment + "]\n" : "\n";
  }
  return out;
}

}  // namespace

std::string kubectl_advice(std::string_view command_line) {
  return "  kubectl get " + std::string(kKinds) + " -A -o json | " + std::string(command_line) +
         " -f -\n\n"
         "Leave out the last two kinds where there is no Karpenter.\n";
}

// clang-format off: the text reads as it prints.
std::string general_help(std::string_view program) {
  const std::string p(program);
  return "Tamp packs a Kubernetes cluster onto fewer, cheaper nodes, and says why not for every node that stays.\n\n"
         "Usage:\n"
         "  " + p + " plan                    what to remove or replace now, and what it saves\n"
         "  " + p + " explain NODE            why (not) this node: every gate with its numbers\n"
         "  " + p + " fits POD|NS/POD|--all   where a pod could run, and why not elsewhere\n"
         "  " + p + " snapshot [FILE]         write the live cluster to a file that plan, explain and fits read\n"
         "  " + p + " controller              watch the cluster, publish the plan and the reasons\n"
         "  " + p + " demo                    a simulated cluster on this machine, to watch and to play with\n"
         "  " + p + " version\n\n"
         "Examples:\n"
         "  " + p + " plan                                        the cluster of the current context\n"
         "  " + p + " plan --instance-types types.json            with a machine catalogue: replacements, too\n"
         "  " + p + " plan -f cluster.json -o json                a cluster in a file, for tools\n"
         "  " + p + " explain ip-10-0-3-9\n"
         "  " + p + " snapshot cluster.json --mask                a cluster to send to somebody\n\n"
         "Without -f the cluster is read through the kubeconfig or the pod's account, and nothing in it is changed. Files\n"
         "may come from kubectl, too:\n\n" +
         kubectl_advice(p + " plan") +
         "\nEvery flag can be set by the environment variable in brackets after it: " + p +
         " plan --help lists them.\n"
         "Exit status: 0 decided (also when there is nothing to do), 2 bad input or usage, 1 anything else.\n";
}

std::string command_help(std::string_view program, std::uint8_t command) {
  const std::string p(program);
  std::string out;
  switch (command) {
    case kExplain:
      out = "Says why a node can go or stays: every gate in order with its numbers and where each setting came\n"
            "from, which pods have no place, the cheapest rejected replacement, and what would have to change.\n\n"
            "Usage:\n  " + p + " explain NODE [-f FILE]… [flags]\n\n"
            "Example:\n  " + p + " explain ip-10-0-3-9\n  " + p + " explain ip-10-0-3-9 -f cluster.json\n";
      break;
    case kFits:
      out = "Says where a pod could run, by the scheduler's filters alone. A pod that runs is judged as if it had\n"
            "just been evicted. The reason is the filter's name as kube-scheduler calls it.\n\n"
            "Usage:\n  " + p + " fits POD|NAMESPACE/POD|--all [-f FILE]… [flags]\n\n"
            "Example:\n  " + p + " fits shop/cart-0 -f cluster.json\n";
      break;
    case kController:
      out = "Watches the cluster, decides again when something has changed, and publishes the plan in the status of the\n"
            "TemperPolicy named default, with the reasons of nodes that stay there and in Events. It moves nothing.\n"
            "Several may run; one leads.\n\n"
            "Usage:\n  " + p + " controller [flags]\n";
      break;
    case kDemo:
      out = "Starts a simulated cluster in this process, with the controller in it, and shows what happens. kubectl and\n"
            "tamp can talk to it as to any other; nothing outside of this machine is touched.\n\n"
            "Usage:\n  " + p + " demo [--scenario NAME|FILE] [flags]\n\n"
            "Examples:\n"
            "  " + p + " demo\n"
            "  " + p + " demo --scenario slo-fleet --speed 30 --kubeconfig demo.kubeconfig\n";
      break;
    case kSnapshot:
      out = "Writes what Tamp reads of the live cluster to FILE (or standard output), for -f. Environment variables,\n"
            "commands and foreign annotations of pods are left out; --mask also replaces names and images.\n\n"
            "Usage:\n  " + p + " snapshot [FILE] [flags]\n";
      break;
    default:
      out = "Decides what to consolidate: empty nodes, several nodes at once, single nodes, in this order; and says\n"
            "for every node that stays which gate keeps it.\n\n"
            "Usage:\n  " + p + " plan [-f FILE]… [flags]\n\n"
            "Examples:\n"
            "  " + p + " plan\n"
            "  " + p + " plan -f cluster.json --instance-types types.json\n"
            "  " + p + " plan -f nodes.yaml -f pods.yaml --policy policy.yaml -o json\n"
            "  kubectl get nodes,pods -A -o json | " + p + " plan -f -\n";
  }
  return out + "\nFlags:\n" + flag_lines(command);
}

// clang-format on

}  // namespace tamp::cli
