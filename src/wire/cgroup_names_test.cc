#include "wire/cgroup_names.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

constexpr const char* kUid = "0c8e4d1a-7f3b-4b7e-9f00-5d2b6a1c9e42";
const std::string kId(64, 'a');

TEST(CgroupNames, OfPodsUnderSystemd) {
  EXPECT_EQ(pod_of_cgroup("kubepods-burstable-pod0c8e4d1a_7f3b_4b7e_9f00_5d2b6a1c9e42.slice"), kUid);
  EXPECT_EQ(pod_of_cgroup("kubepods-besteffort-pod0c8e4d1a_7f3b_4b7e_9f00_5d2b6a1c9e42.slice"), kUid);
  EXPECT_EQ(pod_of_cgroup("kubepods-pod0c8e4d1a_7f3b_4b7e_9f00_5d2b6a1c9e42.slice"), kUid) << "Guaranteed";
  EXPECT_EQ(pod_of_cgroup("kubelet-kubepods-burstable-pod0c8e4d1a_7f3b_4b7e_9f00_5d2b6a1c9e42.slice"), kUid);
}

TEST(CgroupNames, OfPodsUnderCgroupfs) {
  EXPECT_EQ(pod_of_cgroup("pod0c8e4d1a-7f3b-4b7e-9f00-5d2b6a1c9e42"), kUid);
}

TEST(CgroupNames, OfStaticPodsCarryTheHashOfTheirManifest) {
  EXPECT_EQ(pod_of_cgroup("pod3b9ac9ff0d0f4a1b8c7d6e5f4a3b2c1d"), "3b9ac9ff0d0f4a1b8c7d6e5f4a3b2c1d");
  EXPECT_EQ(pod_of_cgroup("kubepods-burstable-pod3b9ac9ff0d0f4a1b8c7d6e5f4a3b2c1d.slice"),
            "3b9ac9ff0d0f4a1b8c7d6e5f4a3b2c1d");
}

TEST(CgroupNames, OfOtherDirectoriesAreNoPods) {
  for (const char* name :
       {"", "pod", "kubepods", "kubepods.slice", "kubepods-burstable.slice", "system.slice",
        "kubepods-pod.slice", "burstable", "user@1000.service", "pod a", "tripod-7"})
    EXPECT_EQ(pod_of_cgroup(name), std::nullopt) << name;
}

TEST(CgroupNames, UidsCompareWhateverTheDriver) {
  EXPECT_EQ(cgroup_uid("0C8E4D1A-7F3B"), "0c8e4d1a-7f3b");
  EXPECT_EQ(cgroup_uid("0c8e4d1a_7f3b"), "0c8e4d1a-7f3b");
}

TEST(CgroupNames, OfContainers) {
  for (const char* prefix : {"", "cri-containerd-", "crio-", "docker-"}) {
    EXPECT_EQ(container_of_cgroup(prefix + kId), kId) << prefix;
    EXPECT_EQ(container_of_cgroup(prefix + kId + ".scope"), kId) << prefix;
  }
  for (const std::string& name : {std::string(), "crio-conmon-" + kId + ".scope", kId + "a",
                                  std::string("container"), std::string(64, 'g')})
    EXPECT_EQ(container_of_cgroup(name), std::nullopt) << name;
}

}  // namespace
}  // namespace tamp::wire
