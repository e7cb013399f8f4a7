#include "agent/cgroup_tree.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "wire/cgroup_files.h"
#include "wire/cgroup_names.h"

namespace tamp::agent {
namespace {

// Far above what machines have; a tree beyond it is cut off rather than walked for ever.
constexpr int kDeepest = 16;
constexpr std::size_t kMostDirectories = 50'000;
constexpr std::size_t kMostContainers = 32;

bool is_empty(const Handle& directory) {
  std::array<char, 256> buffer{};
  const auto text = read_text_at(directory, "cgroup.events", buffer);
  return text && wire::parse_stat_key(*text, "populated") == 0;
}

}  // namespace

Result<CgroupTree> CgroupTree::open(const std::string& root) {
  CgroupTree tree;
  tree.root_ = open_directory(root);
  if (!tree.root_.open()) return Error{root + ": " + std::generic_category().message(errno)};
  if (!open_file_at(tree.root_, "cgroup.controllers").open()) {
    if (Handle unified = open_directory_at(tree.root_, "unified"); unified.open()) {
      // "cpu" is usually a symbolic link to "cpu,cpuacct", and those are not followed.
      tree.cpu_ = open_directory_at(tree.root_, "cpu,cpuacct");
      if (!tree.cpu_.open()) tree.cpu_ = open_directory_at(tree.root_, "cpu");
      tree.memory_ = open_directory_at(tree.root_, "memory");
      tree.root_ = std::move(unified);
    }
  }
  tree.kernel_ = is_cgroup_file_system(tree.root_);
  return tree;
}

std::vector<PodDirectory> CgroupTree::find(const std::vector<std::string>& uids) const {
  std::vector<PodDirectory> found;
  std::size_t visited = 0;
  walk(root_, "", 0, uids, visited, found);
  std::stable_sort(found.begin(), found.end(), [](const PodDirectory& a, const PodDirectory& b) {
    return a.uid != b.uid ? a.uid < b.uid : a.populated && !b.populated;
  });
  const auto same = [](const PodDirectory& a, const PodDirectory& b) { return a.uid == b.uid; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

void CgroupTree::walk(const Handle& directory, const std::string& path, int depth,
                      const std::vector<std::string>& uids, std::size_t& visited,
                      std::vector<PodDirectory>& found) const {
  if (depth >= kDeepest) return;
  for (const std::string& name : directories_in(directory)) {
    if (++visited > kMostDirectories) return;
    Handle child = open_directory_at(directory, name.c_str());
    if (!child.open()) continue;  // it has vanished meanwhile
    std::string child_path = path.empty() ? name : path + "/" + name;
    auto uid = wire::pod_of_cgroup(name);
    if (!uid || !std::binary_search(uids.begin(), uids.end(), *uid))
      walk(child, child_path, depth + 1, uids, visited, found);
    else
      found.push_back(describe(std::move(*uid), std::move(child_path), std::move(child)));
  }
}

PodDirectory CgroupTree::describe(std::string uid, std::string path, Handle directory) const {
  PodDirectory pod{.uid = std::move(uid), .path = std::move(path), .directory = std::move(directory)};
  pod.populated = !is_empty(pod.directory);
  pod.inode = inode_of(pod.directory);
  if (cpu_.open()) pod.cpu = open_directory_at(cpu_, pod.path.c_str());
  if (memory_.open()) pod.memory = open_directory_at(memory_, pod.path.c_str());
  const Handle& quotas = pod.cpu.open() ? pod.cpu : pod.directory;
  for (const std::string& name : directories_in(quotas)) {
    if (!wire::container_of_cgroup(name) || pod.containers.size() == kMostContainers) continue;
    Handle container = open_directory_at(quotas, name.c_str());
    if (!container.open()) continue;
    const std::uint64_t inode = inode_of(container);
    pod.containers.push_back({inode, std::move(container)});
  }
  return pod;
}

}  // namespace tamp::agent
