// A pass over one cluster: the candidates, the simulation they share, and the answer to "could these nodes go together?".
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fit/simulation.h"
#include "gates/budget.h"
#include "price/pricing.h"
#include "search/plan.h"
#include "search/verdict_memo.h"

namespace tamp::search {

// Which machines a simulation may buy: those that cost less than what goes, or, to say how far the others are off, all.
enum class Machines : std::uint8_t { Cheaper, All };

class Moves {
 public:
  explicit Moves(const situation::Context& context);

  const situation::Context& context() const { return context_; }
  const std::vector<gates::Candidate>& candidates() const { return candidates_; }
  std::vector<gates::Candidate> take_candidates() && { return std::move(candidates_); }
  const gates::Candidate& candidate(NodeId n) const { return candidates_[n.index()]; }
  const fit::Index& index() const { return *index_; }
  std::span<const price::PoolTotals> totals() const { return totals_; }

  // Candidates that pass all gates, in the order in which they are to be tried: least disruption first ("Cluster
  // Consolidation"); under --compat most savings per unit of disruption first.
  std::vector<const gates::Candidate*> in_order(bool empty) const;

  // What the pools allow. A matter of the nodes alone: pods that change do not change it.
  const std::vector<gates::BudgetState>& budgets(DisruptionReason reason) const;

  // Simulates and prices the removal of the victims together.
  price::Priced evaluate(std::span<const gates::Candidate* const> victims, price::Method method,
                         Machines machines = Machines::Cheaper);
  // The same for one who has their pods in line already.
  price::Priced evaluate(std::span<const gates::Candidate* const> victims, const fit::Line& line,
                         price::Method method, Machines machines = Machines::Cheaper);
  // All pods of theirs that would have to move.
  fit::Line line_up(std::span<const gates::Candidate* const> victims) const;
  // The best command over several nodes of the order, if there is one: in_order(false), as far as budgets go. Holds until the next
  // search.
  const std::optional<price::Command>& search(const std::vector<const gates::Candidate*>& order);
  // The verdict on one node. Holds until the next one is asked for.
  const price::Priced& verdict(const gates::Candidate& victim);
  // Only whether their pods fit on what is left, without buying anything.
  bool deletable(std::span<const gates::Candidate* const> victims);

  // Or with one new node of the template that costs less than `below` dollars per hour.
  bool replaceable(std::span<const gates::Candidate* const> victims, std::size_t template_index,
                   double below);
  // Nodes that no pod is sent to from now on: they are to go next.
  void avoid(std::span<const NodeId> nodes) { simulation_->avoid(nodes); }

  // ---- for a cluster that changes under the moves (replanner.h)
  // Keeps the order of candidates and the verdicts on single nodes from now on.
  void remember();
  // Null where nothing is remembered: too many pods look for a place in every simulation.
  VerdictMemo* memo() { return memo_.get(); }
  // Its pods have changed.
  void replace(gates::Candidate candidate);
  fit::Index& changing_index() { return *index_; }
  fit::Simulation& changing_simulation() { return *simulation_; }
  // Pods were added in thought, so that the index is not of the cluster itself.
  bool completed() const { return completed_ != nullptr; }

  // Pods that the simulation has placed so far: work done, for budgets of work.
  std::uint64_t placements() const { return placements_; }
  // And with those that it has lifted for that, placed or not.
  std::uint64_t effort() const { return lifted_ + placements_; }

 private:
  price::Priced evaluate_as_karpenter(std::span<const gates::Candidate* const> victims, const fit::Line& line,
                                      price::Method method, double price_below);
  price::Priced evaluate_as_kubernetes(std::span<const gates::Candidate* const> victims,
                                       const fit::Line& line, price::Method method, double price_below);
  // Puts several new nodes in place of `best`, where they cost less.
  void try_several_nodes(std::span<const gates::Candidate* const> victims, const fit::Line& line,
                         price::Method method, double price_below, price::Priced& best);
  fit::Outcome simulate(std::span<const gates::Candidate* const> victims, const fit::Line& line,
                        const fit::NewNode& new_node);
  price::Priced refuse(const fit::Outcome& outcome) const;
  bool before(const gates::Candidate* a, const gates::Candidate* b) const;

  situation::Context context_;
  std::vector<gates::Candidate> candidates_;
  std::vector<price::PoolTotals> totals_;
  std::unique_ptr<Cluster>
      completed_;  // with pods that controllers are about to recreate; null if there are none
  std::unique_ptr<fit::Index> index_;
  std::unique_ptr<fit::Simulation> simulation_;
  mutable std::array<std::optional<std::vector<gates::BudgetState>>, 2> budgets_;  // Empty, Underutilized
  std::uint64_t placements_ = 0, lifted_ = 0;
  price::Priced verdict_;                 // the last one, where they are not kept
  std::optional<price::Command> search_;  // likewise
  std::unique_ptr<VerdictMemo> memo_;
  // in_order(false) and in_order(true), where they are remembered.
  std::optional<std::array<std::vector<const gates::Candidate*>, 2>> orders_;
  // So many of the first order's candidates decide what the search finds.
  std::size_t searched_ = 0;
};

// multi.cc: the best command over several nodes, if there is one, and how many of the order were looked at for it.
struct Search {
  std::optional<price::Command> command;
  std::size_t looked_at = 0;
};
Search multi_node(Moves& moves, const std::vector<const gates::Candidate*>& order);

}  // namespace tamp::search
