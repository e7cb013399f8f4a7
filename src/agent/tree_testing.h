// A directory of cgroups as a literal: files by path, written into a temporary directory that goes with the object.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>

#include "wire/node_pods.h"

namespace tamp::agent::testing {

class TempTree {
 public:
  TempTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tamp-agent-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "no temporary directory";
    root_ = pattern;
  }
  TempTree(std::initializer_list<std::pair<const char*, std::string>> files) : TempTree() {
    for (const auto& [path, text] : files) write(path, text);
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  std::string path(const std::string& below = "") const { return (root_ / below).string(); }
  void make(const std::string& directory) { std::filesystem::create_directories(root_ / directory); }
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << text;
  }
  void remove(const std::string& below) { std::filesystem::remove_all(root_ / below); }

 private:
  std::filesystem::path root_;
};

inline std::string pressure(std::uint64_t some_us, std::uint64_t full_us = 0) {
  return "some avg10=0.00 avg60=0.00 avg300=0.00 total=" + std::to_string(some_us) +
         "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=" + std::to_string(full_us) + "\n";
}

inline std::string cpu_stat(std::uint64_t usage_us, std::uint64_t throttled_us = 0) {
  return "usage_usec " + std::to_string(usage_us) +
         "\nuser_usec 0\nsystem_usec 0\nnr_periods 0\nnr_throttled 0\n" + "throttled_usec " +
         std::to_string(throttled_us) + "\n";
}

inline wire::NodePod pod(const std::string& name, const std::string& uid, Tier tier = Tier::Normal) {
  return {.ns = "ns", .name = name, .uid = uid, .cgroup = uid, .node = "node", .tier = tier};
}

}  // namespace tamp::agent::testing
