// The names of what Tamp puts on a node: annotations, the taint, and the words of the note that lists them.
#pragma once

#include <string_view>

namespace tamp::run {

inline constexpr std::string_view kNote = "temper.codes/run";
inline constexpr std::string_view kTaint = "temper.codes/consolidating";
inline constexpr std::string_view kNoLoadBalancer = "node.kubernetes.io/exclude-from-external-load-balancers";
inline constexpr std::string_view kProtections[] = {"karpenter.sh/do-not-disrupt",
                                                    "cluster-autoscaler.kubernetes.io/scale-down-disabled",
                                                    "autoscaling.cast.ai/removal-disabled"};

// The words in Note::added that are no annotations.
inline constexpr std::string_view kAddedCordon = "cordon";
inline constexpr std::string_view kAddedTaint = "taint";
inline constexpr std::string_view kAddedNoLoadBalancer = "no-load-balancer";

}  // namespace tamp::run
