// Reads the cgroups of a node's pods again and again and keeps what follows for each pod. Finding pods and cgroups (follow, scan)
// may allocate; sample() does not. Knows no clock: the caller says when it is. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "agent/cgroup_tree.h"
#include "agent/maxima.h"
#include "agent/pod_cgroup.h"
#include "agent/series.h"
#include "core/time.h"
#include "wire/node_pods.h"

namespace tamp::agent {

struct Followed {
  wire::NodePod pod;
  std::optional<PodCgroup> cgroup;  // none: not found, or it has gone
  Series series;
  Maxima maxima;
  MemoryReading memory;
};

class Sampler {
 public:
  explicit Sampler(Duration interval) : interval_(interval) {}

  // The pods of this node. Those that are known already keep what was read of them. REQUIRES: in the order of read_node_pods.
  void follow(std::vector<wire::NodePod> pods);
  // Looks for their cgroups. One that is another under the same name begins anew.
  void scan(const CgroupTree& tree);
  // The machine was booted meanwhile, or its clock is another: nothing read so far counts.
  void begin_anew();

  // Reads every cgroup once. `now` is on the monotonic clock; the time of each reading is `now`.
  // What is dear to read is read every fifth time, of each pod at another time, or of all when `thorough`.
  void sample(Time now, bool thorough = false);

  // Has a cgroup gone since the last scan?
  bool lost_some() const { return lost_some_; }
  std::vector<Followed>& pods() { return pods_; }

 private:
  Duration interval_;
  std::vector<Followed> pods_;
  std::size_t rounds_ = 0;
  bool lost_some_ = false;
};

}  // namespace tamp::agent
