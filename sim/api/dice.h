// Chance from a seed. The same seed gives the same throws on every machine; a copy throws what the original would have.
#pragma once

#include <cstdint>

namespace tamp::world {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, bound). REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  // In [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  // In [0, 1). Exact in doubles, so the same everywhere.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }
  // Dice of their own for a part of the world, so that one more throw there does not change the others.
  Dice split(std::uint64_t salt) { return Dice(next() ^ (salt * 0xd6e8feb86659fd93u)); }

 private:
  std::uint64_t state_;
};

}  // namespace tamp::world
