#include "wire/agent_pods.h"

#include "wire/text_at.h"
#include "wire/value.h"

namespace tamp::wire {

Result<AgentPodPage> read_agent_pods(const std::string& bytes) {
  TAMP_TRY(const Json json, Json::parse(bytes));
  if (!json.root().get("items").is_array()) return Error{"is not a list of pods"};
  AgentPodPage page;
  page.continue_token = text_at(json.root().get("metadata"), "continue");
  for (const Value pod : json.root().get("items").elements()) {
    const Value status = pod.get("status");
    AgentPod agent{text_at(pod.get("spec"), "nodeName"), text_at(status, "podIP")};
    if (agent.node.empty() || agent.ip.empty() || text_at(status, "phase") != "Running") continue;
    if (pod.get("metadata").get("deletionTimestamp").present()) continue;
    page.pods.push_back(std::move(agent));
  }
  return page;
}

}  // namespace tamp::wire
