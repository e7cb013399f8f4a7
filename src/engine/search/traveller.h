// One way through the steps of a road: a cluster of its own, on which commands are carried out one after another, and the record of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "search/moves.h"
#include "search/road.h"
#include "situation/node_price.h"

namespace tamp::search {

// Where a road of few moves goes (see Aim in frugal.h).
struct Heading {
  double most = 0;
  std::uint64_t taste = 0;
};

class Traveller {
 public:
  // `start` may hold what is known of the context's cluster, so that those who set out from one place look around there only once.
  Traveller(const situation::Context& context, const PlanOptions& options, Moves* start = nullptr);
  // A cluster is referred to by what is known of it.
  Traveller(const Traveller&) = delete;
  Traveller& operator=(const Traveller&) = delete;

  const Road& road() const { return road_; }
  Road take_road();
  // Pods looked at so far: taken into an index, lifted and placed in thought.
  std::uint64_t effort() const { return effort_; }

  // Carries out what `next` says until it says nothing, or there were enough steps, or too much effort, or more pods moved than `most_moves`.
  template <typename Next>
  void go(std::size_t steps, std::uint64_t effort, Next next, std::size_t most_moves = SIZE_MAX) {
    while (road_.steps.size() < steps && effort_ < effort && moved() <= most_moves) {
      const std::optional<price::Command> command = next(*this);
      if (!command) {
        road_.arrived = true;
        return;
      }
      carry_out_next(*command);
    }
  }

  // What a pass of the controller would do here.
  std::optional<price::Command> pass();
  // What brings the cluster nearer there with few moves (frugal.h); what a pass would do where that finds nothing.
  std::optional<price::Command> frugal(const Heading& heading);

 private:
  situation::Context here() const;
  Moves& moves();
  std::size_t moved() const { return road_.steps.empty() ? 0 : road_.steps.back().moved; }
  Money cost_now() const;
  std::optional<price::Command> plan(const PlanOptions& options);
  void carry_out_next(const price::Command& command);

  situation::Context context_;
  PlanOptions options_;
  Cluster cluster_;
  situation::TypeIndex types_;
  Moves* start_;                  // until the first step
  std::unique_ptr<Moves> moves_;  // of the cluster as it is now, once somebody asked
  Road road_;
  Money cost_;
  std::size_t made_ = 0;
  std::uint64_t effort_ = 0;
};

}  // namespace tamp::search
