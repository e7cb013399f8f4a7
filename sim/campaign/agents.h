// The agents of the simulated nodes as one process hears them: what is forged on the way (F34, F35), and a mutant that takes what is
// not known for nothing.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "controller/observation_source.h"
#include "net/loop.h"
#include "sim/world/world.h"
#include "wire/observation.h"

namespace tamp::sim {

enum class Forgery : std::uint8_t { Malformed, Oversized, OtherNode, OtherPods, ClockAhead, ClockBehind };
using Forgeries = std::map<std::string, Forgery>;  // by node

class Agents : public controller::ObservationSource {
 public:
  // All must outlive it.
  Agents(net::Loop& loop, const world::World& world, const Forgeries& forgeries, bool unknown_is_zero)
      : loop_(loop), world_(world), forgeries_(forgeries), unknown_is_zero_(unknown_is_zero) {}

  net::Pending observe(const std::string& node, std::function<void(Result<std::string>)> done) override {
    return loop_.after(Duration{2'000'000}, [this, node, done = std::move(done)] {
      std::string document = world_.cast().pressure.observation(node, world_.now());
      if (document.empty()) return;  // silent: the deadline is the asker's
      if (const auto forged = forgeries_.find(node); forged != forgeries_.end())
        forge(document, node, forged->second, world_.now());
      if (unknown_is_zero_) replace_all(document, "\":null", "\":0.00");
      done(std::move(document));
    });
  }

 private:
  static void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  static void forge(std::string& document, const std::string& node, Forgery forgery, Time now) {
    switch (forgery) {
      case Forgery::Malformed:
        document.resize(document.size() / 2);
        return;
      case Forgery::Oversized:
        document.append(wire::kMaxObservationBytes, ' ');
        return;
      case Forgery::OtherNode:
        return replace_all(document, "\"" + node + "\"", "\"elsewhere\"");
      case Forgery::OtherPods:
        return replace_all(document, R"("uid":")", R"("uid":"gone-)");
      case Forgery::ClockAhead:
        return set_clock(document, now, Duration::minutes(10));
      case Forgery::ClockBehind:
        return set_clock(document, now, Duration::minutes(-10));
    }
  }

  static void set_clock(std::string& document, Time now, Duration wrong) {
    replace_all(document, R"("at":")" + format_rfc3339(now), R"("at":")" + format_rfc3339(now + wrong));
  }

  net::Loop& loop_;
  const world::World& world_;
  const Forgeries& forgeries_;
  bool unknown_is_zero_;
};

}  // namespace tamp::sim
