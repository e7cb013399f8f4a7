// Words that tests of every room share: label keys, moments, and the units that quantities are written in; and labels.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/cluster.h"
#include "core/time.h"

namespace tamp::test {

inline constexpr std::string_view kHostname = "kubernetes.io/hostname";
inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegion = "topology.kubernetes.io/region";
inline constexpr std::string_view kArch = "kubernetes.io/arch";
inline constexpr std::string_view kOs = "kubernetes.io/os";
inline constexpr std::string_view kInstanceType = "node.kubernetes.io/instance-type";
inline constexpr std::string_view kNodePool = "karpenter.sh/nodepool";
inline constexpr std::string_view kCapacityType = "karpenter.sh/capacity-type";
inline constexpr std::string_view kNamespaceName = "kubernetes.io/metadata.name";
inline constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";

inline constexpr std::string_view kGcePd = "kubernetes.io/gce-pd";
inline constexpr std::string_view kAwsEbs = "kubernetes.io/aws-ebs";
inline constexpr std::string_view kIscsi = "kubernetes.io/iscsi";
inline constexpr std::string_view kRbd = "kubernetes.io/rbd";

// Everything that a builder makes was created two weeks before the moment at which tests decide.
inline constexpr Time kCreated{1'793'491'200'000'000'000};  // 2026-11-01T00:00:00Z
inline constexpr Time kNow{1'794'700'800'000'000'000};      // 2026-11-15T00:00:00Z

inline constexpr std::int64_t kMi = std::int64_t{1} << 20;
inline constexpr std::int64_t kGi = std::int64_t{1} << 30;

// The key becomes a symbol before the value does, so that every compiler numbers symbols alike.
inline void set_label(Cluster& cluster, LabelSet& labels, std::string_view key, std::string_view value) {
  const Symbol symbol = cluster.symbols.intern(key);
  labels.set(symbol, cluster.symbols.intern(value));
}

}  // namespace tamp::test
