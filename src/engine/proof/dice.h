// Numbers that look random and are the same on every machine for the same seed (SplitMix64): std::shuffle and the
// distributions of <random> differ from library to library.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tamp::proof {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t roll() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[roll() % i]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace tamp::proof
