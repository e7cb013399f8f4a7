// The open files of one pod's cgroup, read again and again. After attach() nothing is allocated.
//
// Throttling: the kernel counts it for the group that has the quota, which is the pod's only if all its containers have one. So what
// counts in each interval is the longest of the pod's own and its containers' throttled times.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/cgroup_tree.h"
#include "agent/series.h"
#include "wire/cgroup_files.h"

namespace tamp::agent {

struct MemoryReading {
  std::optional<std::uint64_t> current, inactive_file;  // bytes
  std::optional<wire::Limit> limit;

  std::optional<std::uint64_t> working_set() const {
    if (!current || !inactive_file) return std::nullopt;
    return wire::working_set(*current, *inactive_file);
  }
};

class PodCgroup {
 public:
  // `kernel`: files may be kept open, since the kernel makes their text anew with each reading.
  PodCgroup(PodDirectory directory, bool kernel);

  std::uint64_t inode() const { return at_.inode; }
  // Containers come and go while their pod stays.
  void update_containers(std::vector<ContainerDirectory> containers);

  // Fills in what can be read. False if nothing could: the cgroup has gone, most likely.
  // `thorough` also reads what changes slowly and is dear to read (the page cache's share, the limit), and looks again for
  // files that were missing.
  bool read(Reading& reading, MemoryReading& memory, bool thorough);
  // Did it hold a process when it was last read thoroughly? One without tells nothing of its pod: the containers have ended, or
  // the runtime has put them elsewhere.
  bool populated() const { return populated_; }
  // Is there no quota that the kernel could count? Known after the first read().
  bool without_cpu_controller() const { return without_cpu_controller_; }

 private:
  struct OpenFile {
    const char* name = nullptr;
    Handle file = {};
    bool missing = false;  // looked for again only now and then
  };
  struct Container {
    std::uint64_t inode = 0;
    Handle directory;
    OpenFile stat = {.name = "cpu.stat"};
    std::optional<std::uint64_t> throttled = {};
  };

  // What parse() makes of the file's text, an optional; nothing if it cannot be read.
  template <typename Parse>
  auto read_file(const Handle& directory, OpenFile& file, bool thorough, Parse parse)
      -> decltype(parse(std::string_view()));
  bool read_pressure(OpenFile& file, Counter some, Counter full, Reading& reading, bool thorough);
  bool read_cpu(Reading& reading, bool thorough);
  void read_memory(MemoryReading& memory, bool thorough);
  // Adds to the total what was throttled since the last time. Nothing if a counter has run backwards.
  std::optional<std::uint64_t> advance_throttling(std::uint64_t own, bool thorough);
  std::optional<std::uint64_t> read_throttled(const Handle& directory, OpenFile& file, bool thorough);

  PodDirectory at_;
  bool kernel_;
  OpenFile cpu_stat_{.name = "cpu.stat"}, quota_stat_{.name = "cpu.stat"}, cpu_{.name = "cpu.pressure"},
      memory_{.name = "memory.pressure"}, io_{.name = "io.pressure"}, events_{.name = "cgroup.events"},
      current_, stat_{.name = "memory.stat"}, max_;
  std::vector<Container> containers_;
  std::optional<std::uint64_t> own_throttled_;
  std::uint64_t throttled_total_ = 0;
  bool without_cpu_controller_ = false, populated_ = true;
};

}  // namespace tamp::agent
