#include "agent/cgroup_tree.h"

#include <gtest/gtest.h>

#include "agent/tree_testing.h"

namespace tamp::agent {
namespace {

using testing::TempTree;

const std::string kId(64, 'a');

std::vector<std::string> paths(const TempTree& tree, const std::vector<std::string>& uids) {
  auto opened = CgroupTree::open(tree.path());
  if (!opened) {
    ADD_FAILURE() << opened.error().message;
    return {};
  }
  std::vector<std::string> found;
  for (const PodDirectory& pod : opened->find(uids)) found.push_back(pod.path);
  return found;
}

using Paths = std::vector<std::string>;

TEST(CgroupTree, FindsPodsOfTheSystemdDriver) {
  TempTree tree;
  tree.make("kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podaaaa_1.slice/cri-containerd-" +
            kId + ".scope");
  tree.make("kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podbbbb_2.slice/crio-" + kId +
            ".scope");
  tree.make("kubepods.slice/kubepods-podcccc_3.slice/docker-" + kId + ".scope");
  tree.make("system.slice/kubelet.service");
  EXPECT_EQ(paths(tree, {"aaaa-1", "bbbb-2", "cccc-3"}),
            (Paths{"kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podaaaa_1.slice",
                   "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podbbbb_2.slice",
                   "kubepods.slice/kubepods-podcccc_3.slice"}));
}

TEST(CgroupTree, FindsPodsOfTheCgroupfsDriver) {
  TempTree tree;
  tree.make("kubepods/burstable/podaaaa-1/" + kId);
  tree.make("kubepods/podbbbb-2/" + kId);
  EXPECT_EQ(paths(tree, {"aaaa-1", "bbbb-2"}), (Paths{"kubepods/burstable/podaaaa-1", "kubepods/podbbbb-2"}));
}

TEST(CgroupTree, FindsPodsBelowAnyRoot) {
  TempTree tree;
  tree.make("machine.slice/docker-1/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-podaaaa_1.slice");
  EXPECT_EQ(paths(tree, {"aaaa-1"}).size(), 1u);
}

TEST(CgroupTree, LeavesOthersPodsAlone) {
  TempTree tree;
  tree.make("kubepods/podaaaa-1");
  tree.make("kubepods/podbbbb-2");
  EXPECT_EQ(paths(tree, {"bbbb-2"}), Paths{"kubepods/podbbbb-2"});
  EXPECT_TRUE(paths(tree, {}).empty());
  EXPECT_TRUE(paths(tree, {"cccc-3"}).empty());
}

TEST(CgroupTree, OfSeveralDirectoriesTheOneWithProcessesCounts) {
  // A kubelet may leave one behind, or make one while the runtime puts the containers elsewhere.
  TempTree tree{{"a/podaaaa-1/cgroup.events", "populated 0\nfrozen 0\n"},
                {"b/podaaaa-1/cgroup.events", "populated 1\nfrozen 0\n"},
                {"c/podbbbb-2/cgroup.events", "populated 0\nfrozen 0\n"}};
  EXPECT_EQ(paths(tree, {"aaaa-1", "bbbb-2"}), (Paths{"b/podaaaa-1", "c/podbbbb-2"}));
}

TEST(CgroupTree, OnAHybridMachineLooksInTheUnifiedHierarchy) {
  TempTree tree{
      {"memory/kubepods/podaaaa-1/memory.usage_in_bytes", "5\n"},
      {"cpu,cpuacct/kubepods/podaaaa-1/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"},
      {"unified/kubepods/podaaaa-1/cpu.pressure", testing::pressure(0)}};
  auto opened = CgroupTree::open(tree.path());
  ASSERT_TRUE(opened);
  const auto found = opened->find({"aaaa-1"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].cpu.open());
  EXPECT_TRUE(found[0].memory.open());
  EXPECT_TRUE(open_file_at(found[0].directory, "cpu.pressure").open());
}

TEST(CgroupTree, OfVersionTwoAloneKeepsItsOwnUnified) {
  TempTree tree{
      {"cgroup.controllers", "cpu memory\n"}, {"kubepods/podaaaa-1/cpu.stat", ""}, {"unified/x", ""}};
  EXPECT_EQ(paths(tree, {"aaaa-1"}).size(), 1u);
}

TEST(CgroupTree, KnowsTheContainersOfAPod) {
  TempTree tree;
  tree.make("kubepods/podaaaa-1/" + kId);
  tree.make("kubepods/podaaaa-1/crio-" + std::string(64, 'b') + ".scope/container");
  tree.make("kubepods/podaaaa-1/crio-conmon-" + kId + ".scope");
  auto opened = CgroupTree::open(tree.path());
  ASSERT_TRUE(opened);
  const auto found = opened->find({"aaaa-1"});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].containers.size(), 2u);
}

TEST(CgroupTree, IdentityIsTheInode) {
  TempTree tree;
  tree.make("kubepods/podaaaa-1");
  auto opened = CgroupTree::open(tree.path());
  ASSERT_TRUE(opened);
  const auto before = opened->find({"aaaa-1"});
  tree.make("kubepods/other");  // so that the old number is not free again at once
  std::filesystem::rename(tree.path("kubepods/podaaaa-1"), tree.path("kubepods/gone"));
  tree.make("kubepods/podaaaa-1");
  const auto after = opened->find({"aaaa-1"});
  ASSERT_EQ(before.size(), 1u);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_NE(before[0].inode, after[0].inode);
}

TEST(CgroupTree, DoesNotFollowLinks) {
  TempTree tree;
  tree.make("kubepods/podaaaa-1");
  std::filesystem::create_directory_symlink(tree.path("kubepods"), tree.path("again"));
  std::filesystem::create_directory_symlink(tree.path(), tree.path("kubepods/loop"));
  EXPECT_EQ(paths(tree, {"aaaa-1"}), Paths{"kubepods/podaaaa-1"});
}

TEST(CgroupTree, ThatIsNotThereIsAnError) {
  const auto opened = CgroupTree::open("/nowhere/at/all");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, "/nowhere/at/all: No such file or directory");
}

}  // namespace
}  // namespace tamp::agent
