// Where the agents are: of a page of a PodList, the pods that can be asked, by the node on which they run.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"

namespace tamp::wire {

struct AgentPod {
  std::string node, ip;
};

struct AgentPodPage {
  std::vector<AgentPod> pods;  // as listed; those that do not run, or have no address yet, are left out
  std::string continue_token;  // empty: this was the last page
};

Result<AgentPodPage> read_agent_pods(const std::string& bytes);

}  // namespace tamp::wire
