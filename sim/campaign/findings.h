// What a trial finds: rules that were broken, and which rare branches it went through.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace tamp::sim {

struct Violation {
  Time at;
  std::string rule;  // "I2", …, "L5"; docs/guides/simulation.md says what each means
  std::string text;
};

// How often something happened, by name. Ordered: it is printed.
class Coverage {
 public:
  void count(std::string_view name) { ++counts_[std::string(name)]; }
  void add(const Coverage& other) {
    for (const auto& [name, times] : other.counts_) counts_[name] += times;
  }
  std::uint64_t of(std::string_view name) const {
    const auto found = counts_.find(std::string(name));
    return found == counts_.end() ? 0 : found->second;
  }
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  std::map<std::string, std::uint64_t>& counts() { return counts_; }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace tamp::sim
