// The agents of the simulated nodes as one process hears them, with a mutant that takes what is not known for nothing.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "control/observation_source.h"
#include "kube/loop.h"
#include "world/world.h"

namespace tamp::sim {

class Agents : public control::ObservationSource {
 public:
  // Both must outlive it.
  Agents(kube::Loop& loop, const world::World& world, bool unknown_is_zero)
      : loop_(loop), world_(world), unknown_is_zero_(unknown_is_zero) {}

  kube::Pending observe(const std::string& node, std::function<void(Result<std::string>)> done) override {
    return loop_.after(Duration{2'000'000}, [this, node, done = std::move(done)] {
      std::string document = world_.cast().pressure.observation(node, world_.now());
      if (document.empty()) return;  // silent: the deadline is the asker's
      if (unknown_is_zero_) fill_in(document);
      done(std::move(document));
    });
  }

 private:
  static void fill_in(std::string& document) {
    constexpr std::string_view kNull = "\":null", kZero = "\":0.00";
    for (std::size_t at = document.find(kNull); at != std::string::npos; at = document.find(kNull, at))
      document.replace(at, kNull.size(), kZero);
  }

  kube::Loop& loop_;
  const world::World& world_;
  bool unknown_is_zero_;
};

}  // namespace tamp::sim
