// The scheduler owes us nothing: evicted pods come back in any order and go to any node that is legal for them, and a pod
// that finds none may push out others of lower priority. Plays one such course of events, driven by a seed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_set>
#include <vector>

#include "fit/simulation.h"
#include "proof/dice.h"
#include "proof/motion.h"

namespace tamp::proof {

// How the scheduler chooses among legal nodes. Real ones mostly take the emptiest.
enum class Taste : std::uint8_t { Random, Emptiest, Fullest };

struct Course {
  // Pods that end without a legal place, in id order. Not those that wait for one anyway: they may go on
  // waiting.
  std::vector<PodId> homeless;
  std::vector<PodId> preempted;  // pods that were pushed out on the way
};

class OtherPlacements {
 public:
  // REQUIRES: the victims have departed from the simulation.
  OtherPlacements(const Motion& motion, fit::Simulation& simulation);

  // Everybody who looks for a place: those of the simulation's background, then the moved pods in drain
  // order.
  const std::vector<PodId>& seekers() const { return seekers_; }
  // Places pods in the given order. The simulation is as before when it returns.
  Course play(std::vector<PodId> order, Taste taste, std::uint64_t seed);

 private:
  using SiteId = fit::SiteId;
  struct Step {
    enum class Kind : std::uint8_t { Seated, Unseated, Lifted };
    Kind kind;
    PodId pod;
    SiteId site;
  };

  void seat(PodId pod, SiteId site);
  void push_out(PodId pod, SiteId site);
  bool fits(PodId pod, SiteId site) const { return *simulation_.filter(pod, site) == '\0'; }
  const Pod& pod_of(PodId id) const { return simulation_.index().cluster().pods[id.index()]; }
  std::vector<SiteId> legal_sites(PodId pod) const;
  SiteId any_legal_site(PodId pod);
  SiteId find_site(PodId pod);
  SiteId choose(const std::vector<SiteId>& sites);
  std::vector<PodId> lower_pods(PodId pod, SiteId site) const;
  bool preempt(PodId pod, std::vector<PodId>& pushed_out);
  void revert(std::size_t to);

  const Motion& motion_;
  fit::Simulation& simulation_;
  std::vector<SiteId> sites_;  // all but the victims' and those that somebody else removes
  std::vector<PodId> seekers_;
  std::set<PodId> waiting_anyway_;  // pending pods, and those that controllers owe
  // Of these, shapes of which one found no place since others last made progress: the next would find none.
  std::unordered_set<fit::ShapeId> refused_;
  std::map<PodId, SiteId> seated_;  // where this course put them
  std::set<PodId> gone_from_home_;  // bound pods that this course pushed out
  std::vector<Step> log_;
  Taste taste_ = Taste::Random;
  Dice dice_{0};
};

}  // namespace tamp::proof
