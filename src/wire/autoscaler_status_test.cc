#include "wire/autoscaler_status.h"

#include <gtest/gtest.h>

#include "wire/reading_for_test.h"

namespace tamp::wire {
namespace {

const AutoscalerStatus kTwo{{{"eks-batch-1", 0, 10, 4}, {"eks-web-2", 2, 5, 3}}};

TEST(AutoscalerStatus, AsYaml) {
  EXPECT_EQ(read_autoscaler_status(
                "time: 2026-11-15 09:00:00.1 +0000 UTC\nautoscalerStatus: Running\nclusterWide:\n"
                "  health:\n    status: Healthy\n    minSize: 9\nnodeGroups:\n"
                "- name: eks-web-2\n  health:\n    status: Healthy\n    nodeCounts:\n"
                "      registered:\n        total: 3\n    cloudProviderTarget: 3\n    minSize: 2\n"
                "    maxSize: 5\n  scaleDown:\n    status: NoCandidates\n"
                "- name: eks-batch-1\n  health: {cloudProviderTarget: 4, minSize: 0, maxSize: 10}\n"),
            kTwo);
}

TEST(AutoscalerStatus, AsProse) {
  EXPECT_EQ(read_autoscaler_status(
                "Cluster-autoscaler status at 2023-11-15 09:00:00.1 +0000 UTC:\nCluster-wide:\n"
                "  Health:      Healthy (ready=7 unready=0 notStarted=0 registered=7 "
                "longUnregistered=0)\n\nNodeGroups:\n"
                "  Name:        eks-web-2\n"
                "  Health:      Healthy (ready=3 unready=0 notStarted=0 registered=3 longUnregistered=0 "
                "cloudProviderTarget=3 (minSize=2, maxSize=5))\n"
                "  ScaleDown:   NoCandidates (candidates=0)\n\n"
                "  Name:        eks-batch-1\n"
                "  Health:      Healthy (ready=4 cloudProviderTarget=4 (minSize=0, maxSize=10))\n"),
            kTwo);
}

TEST(AutoscalerStatus, WhatIsNotUnderstoodIsNotThere) {
  EXPECT_TRUE(read_autoscaler_status("Initializing").groups.empty());
  EXPECT_TRUE(read_autoscaler_status("nodeGroups: 7").groups.empty());
  EXPECT_TRUE(read_autoscaler_status("nodeGroups:\n- [").groups.empty());
  EXPECT_EQ(read_autoscaler_status("nodeGroups:\n- name: g\n  health: {minSize: -1}").groups,
            (std::vector<AutoscalerGroup>{{"g", {}, {}, {}}}));
}

TEST(AutoscalerStatus, IsFoundAmongTheObjects) {
  const auto read = [](const std::string& name) {
    return testing::read(
               "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name +
               ", namespace: kube-system}, data: {status: \"nodeGroups:\\n- name: g\\n  health: {minSize: "
               "1}\\n\"}}")
        .autoscaler;
  };
  ASSERT_TRUE(read("cluster-autoscaler-status").has_value());
  EXPECT_EQ(read("cluster-autoscaler-status")->groups[0].min, 1);
  EXPECT_FALSE(read("something-else").has_value());
}

}  // namespace
}  // namespace tamp::wire
