#include "sim/kubelet/cpu_sharing.h"

#include <algorithm>

#include "sim/kubelet/demand.h"

namespace tamp::world {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

std::int64_t most_of(const CpuClaim& pod) {
  return pod.quota > 0 ? std::min(pod.wanted, pod.quota) : pod.wanted;
}

}  // namespace

std::int64_t weight_of(std::int64_t request_millis) {
  const std::int64_t shares = std::clamp<std::int64_t>(request_millis * 1024 / 1000, 2, 262'144);
  return 1 + (shares - 2) * 9999 / 262'142;
}

void share_by_weight(std::span<WeightedClaim> claims, std::int64_t capacity) {
  std::int64_t left = capacity, weights = 0;
  for (WeightedClaim& claim : claims) {
    claim.given = -1;
    weights += claim.weight;
  }
  // Whoever wants no more than their share gets it, and leaves the rest to the others.
  for (bool found = true; found && weights > 0;) {
    found = false;
    const std::int64_t round_left = left, round_weights = weights;
    for (WeightedClaim& claim : claims) {
      if (claim.given >= 0 || claim.most > round_left * claim.weight / round_weights) continue;
      claim.given = claim.most;
      left -= claim.most;
      weights -= claim.weight;
      found = true;
    }
  }
  for (WeightedClaim& claim : claims)
    if (claim.given < 0) claim.given = left * claim.weight / weights;
}

void CpuSharing::divide(std::span<CpuClaim> pods, std::int64_t capacity) {
  std::int64_t total = 0;
  for (CpuClaim& pod : pods) total += pod.given = most_of(pod);
  if (total <= capacity) return;

  WeightedClaim burstable, best_effort;
  std::int64_t burstable_millis = 0;
  top_.clear();
  for (const CpuClaim& pod : pods) {
    if (pod.qos == Qos::Guaranteed) top_.push_back({most_of(pod), weight_of(pod.request_millis), 0});
    if (pod.qos == Qos::Burstable) {
      burstable.most += most_of(pod);
      burstable_millis += pod.request_millis;
    }
    if (pod.qos == Qos::BestEffort) best_effort.most += most_of(pod);
  }
  burstable.weight = weight_of(burstable_millis);
  best_effort.weight = weight_of(0);
  top_.push_back(burstable);
  top_.push_back(best_effort);
  share_by_weight(top_, capacity);

  const auto divide_group = [&](Qos qos, std::int64_t share) {
    group_.clear();
    members_.clear();
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if (pods[i].qos != qos) continue;
      group_.push_back({most_of(pods[i]), weight_of(pods[i].request_millis), 0});
      members_.push_back(i);
    }
    share_by_weight(group_, share);
    for (std::size_t i = 0; i < members_.size(); ++i) pods[members_[i]].given = group_[i].given;
  };
  std::size_t next = 0;
  for (CpuClaim& pod : pods)
    if (pod.qos == Qos::Guaranteed) pod.given = top_[next++].given;
  divide_group(Qos::Burstable, top_[next].given);
  divide_group(Qos::BestEffort, top_[next + 1].given);
}

Stall stall_of(const CpuClaim& pod) {
  Stall stall;
  if (pod.given >= pod.wanted || pod.wanted == 0) return stall;
  stall.some = (pod.wanted - pod.given) * kMillion / pod.wanted;
  // The quota holds back only who has used it up; before that it was the neighbours.
  if (pod.quota > 0 && pod.given >= pod.quota) stall.throttled = stall.some;
  // One thread either runs or waits. Of several some may run while others wait.
  const std::int64_t idle = std::max<std::int64_t>(0, kMicroCores - pod.given);
  stall.full = pod.wanted <= kMicroCores ? stall.some : stall.some * idle / kMicroCores;
  return stall;
}

}  // namespace tamp::world
