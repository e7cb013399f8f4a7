#include "agent/sampler.h"

#include <algorithm>
#include <string>

namespace tamp::agent {
namespace {

constexpr std::size_t kThoroughEvery = 5;

bool same_pod(const wire::NodePod& a, const wire::NodePod& b) {
  return a.uid == b.uid && a.ns == b.ns && a.name == b.name && a.cgroup == b.cgroup;
}

void forget(Followed& f) {
  f.cgroup.reset();
  f.series.begin_anew();
  f.maxima.clear();
  f.memory = {};
}

}  // namespace

void Sampler::follow(std::vector<wire::NodePod> pods) {
  std::vector<Followed> followed;
  followed.reserve(pods.size());
  for (wire::NodePod& pod : pods) {
    const auto known =
        std::find_if(pods_.begin(), pods_.end(), [&](const Followed& f) { return same_pod(f.pod, pod); });
    if (known == pods_.end()) {
      followed.push_back({std::move(pod), std::nullopt, Series(interval_), Maxima(), MemoryReading()});
    } else {
      followed.push_back(std::move(*known));
      followed.back().pod = std::move(pod);
      known->pod = {};  // so that a pod that is listed twice does not find it again
    }
  }
  pods_ = std::move(followed);
}

void Sampler::scan(const CgroupTree& tree) {
  std::vector<std::string> uids;
  uids.reserve(pods_.size());
  for (const Followed& f : pods_) uids.push_back(f.pod.cgroup);
  std::sort(uids.begin(), uids.end());
  std::vector<PodDirectory> found = tree.find(uids);
  // Of their own, since a directory that is taken takes its uid along.
  std::vector<std::string> found_uids;
  found_uids.reserve(found.size());
  for (const PodDirectory& directory : found) found_uids.push_back(directory.uid);
  for (Followed& f : pods_) {
    const auto at = std::lower_bound(found_uids.begin(), found_uids.end(), f.pod.cgroup);
    const bool is_there = at != found_uids.end() && *at == f.pod.cgroup;
    PodDirectory* const directory =
        is_there ? &found[static_cast<std::size_t>(at - found_uids.begin())] : nullptr;
    if (directory == nullptr || !directory->directory.open()) {
      if (f.cgroup) forget(f);
    } else if (f.cgroup && f.cgroup->inode() == directory->inode) {
      f.cgroup->update_containers(std::move(directory->containers));
    } else {
      if (f.cgroup) forget(f);
      f.cgroup.emplace(std::move(*directory), tree.kernel());
    }
  }
  lost_some_ = false;
}

void Sampler::begin_anew() {
  for (Followed& f : pods_) forget(f);
}

void Sampler::sample(Time now, bool thorough) {
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    Followed& f = pods_[i];
    if (!f.cgroup) continue;
    Reading reading;
    reading.at = now;
    const bool first = !f.series.newest();
    if (!f.cgroup->read(reading, f.memory, thorough || first || (rounds_ + i) % kThoroughEvery == 0)) {
      lost_some_ = true;
      f.memory = {};
    }
    const std::uint32_t resets = f.series.resets();
    f.series.add(reading);
    if (f.series.resets() != resets) f.maxima.clear();
    if (const auto usage = f.series.rate(Counter::CpuUsage, kWindows.front())) f.maxima.add(now, *usage);
  }
  ++rounds_;
}

}  // namespace tamp::agent
