// The text under `status` in Cluster Autoscaler's ConfigMap. Up to version 1.29 it is written for people, since then it is YAML; both
// are read. It is tolerant on purpose: what is not understood is not there, and an absent minimum is an unknown one.
#pragma once

#include <string>
#include <string_view>

#include "core/autoscaler_status.h"
#include "wire/value.h"

namespace tamp::wire {

inline constexpr std::string_view kAutoscalerNamespace = "kube-system";
inline constexpr std::string_view kAutoscalerConfigMap = "cluster-autoscaler-status";
inline constexpr std::size_t kMaxAutoscalerStatus = std::size_t{1} << 20;  // bytes; a ConfigMap holds no more
inline constexpr std::size_t kMaxAutoscalerGroups = 10'000;

AutoscalerStatus read_autoscaler_status(const std::string& text);

// Of the ConfigMap as an object; nothing where it is another one.
std::optional<AutoscalerStatus> read_autoscaler_config_map(Value object);

}  // namespace tamp::wire
