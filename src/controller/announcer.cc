#include "controller/announcer.h"

#include <utility>

namespace tamp::controller {
namespace {

// The recorder is fed slowly: it drops what its queue cannot hold, and a large cluster has many nodes.
constexpr std::size_t kRecorderQueue = 100;
constexpr Duration kPause = Duration::seconds(1);

std::string reason_of(const NodeRemark& remark) {
  return remark.planned ? std::string("planned") : std::string(gates::name(remark.reason));
}

}  // namespace

void Announcer::announce(std::vector<NodeRemark> remarks) {
  std::unordered_map<std::string, std::string> still;  // what was said of nodes that are still there
  waiting_.clear();
  for (NodeRemark& remark : remarks) {
    const auto said = said_.find(remark.uid);
    if (said != said_.end()) still.emplace(*said);
    if (said != said_.end() && said->second == reason_of(remark)) continue;
    waiting_.push_back(std::move(remark));
  }
  said_ = std::move(still);
  pump();
}

void Announcer::reset() {
  said_.clear();
  waiting_.clear();
  wake_.cancel();
}

void Announcer::pump() {
  while (!waiting_.empty() && recorder_.queued() < kRecorderQueue) {
    const NodeRemark remark = std::move(waiting_.front());
    waiting_.pop_front();
    said_[remark.uid] = reason_of(remark);
    const net::ObjectReference node{"v1", "Node", "", remark.node, remark.uid};
    if (remark.planned)
      recorder_.record(node, net::EventType::Normal, "ConsolidationPlanned",
                       "Tamp: the node " + remark.message);
    else
      recorder_.record(node, net::EventType::Normal, "ConsolidationBlocked",
                       std::string(gates::name(remark.reason)) + ": " + remark.message);
    metrics_.event_written("Normal");
  }
  if (!waiting_.empty()) wake_ = loop_.after(kPause, [this] { pump(); });
}

}  // namespace tamp::controller
