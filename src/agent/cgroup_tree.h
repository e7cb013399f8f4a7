// Where the pods of a node are among its cgroups: found by their names (wire/cgroup_names.h) anywhere below a root, whatever
// stands in front of them. On a hybrid machine the pressure is in the hierarchy of version 2 that is mounted at `unified`, and
// throttling and memory are in those of version 1 beside it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/handle.h"
#include "core/result.h"

namespace tamp::agent {

struct ContainerDirectory {
  std::uint64_t inode = 0;
  Handle directory;
};

struct PodDirectory {
  std::string uid;               // as wire::cgroup_uid has it
  std::string path;              // below the root, for messages
  bool populated = true;         // holds a process, or does not tell
  std::uint64_t inode = 0;       // another number is another cgroup, even under the same name
  Handle directory;              // version 2
  Handle cpu = {}, memory = {};  // version 1; open on hybrid machines only
  std::vector<ContainerDirectory> containers = {};
};

class CgroupTree {
 public:
  // `root` is where cgroups are mounted, or any directory below that.
  static Result<CgroupTree> open(const std::string& root);

  // The directories of these pods (sorted uids), in the order of uids, each once. Of several the first that holds a process.
  std::vector<PodDirectory> find(const std::vector<std::string>& uids) const;

  // False for a copy of the files, which may be replaced one by one while they are read.
  bool kernel() const { return kernel_; }

 private:
  CgroupTree() = default;
  void walk(const Handle& directory, const std::string& path, int depth, const std::vector<std::string>& uids,
            std::size_t& visited, std::vector<PodDirectory>& found) const;
  PodDirectory describe(std::string uid, std::string path, Handle directory) const;

  Handle root_;          // version 2
  Handle cpu_, memory_;  // version 1
  bool kernel_ = false;
};

}  // namespace tamp::agent
