// How long a key waits after each failure: 5 ms, doubled each time, at most 1000 s.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/time.h"

namespace tamp::world {

class Retries {
 public:
  Duration failed(std::string_view ns, std::string_view name) {
    const int n = failures_[{std::string(ns), std::string(name)}]++;
    return Duration{std::min<std::int64_t>(std::int64_t{5'000'000} << std::min(n, 30), 1'000'000'000'000)};
  }
  void succeeded(std::string_view ns, std::string_view name) {
    if (!failures_.empty()) failures_.erase({std::string(ns), std::string(name)});
  }

 private:
  std::map<std::pair<std::string, std::string>, int> failures_;
};

}  // namespace tamp::world
