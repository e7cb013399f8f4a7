#include "sim/kubelet/pod_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace tamp::world {

void RestartDelay::restarted(Time ended, Time now) {
  delay_ = expired(ended) ? kFirst : std::min(Duration{2 * delay_.ns}, kMost);
  since_ = now;
}

std::string pod_words(std::string_view ns, std::string_view name) {
  return fmt::format("pod {}/{}", ns, name);
}

std::string container_id(Dice& dice) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id = "containerd://";
  for (int word = 0; word < 4; ++word) {
    std::uint64_t bits = dice.next();
    for (int digit = 0; digit < 16; ++digit, bits >>= 4) id += kDigits[bits & 15];
  }
  return id;
}

}  // namespace tamp::world
