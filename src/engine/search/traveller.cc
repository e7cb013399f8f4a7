#include "search/traveller.h"

#include <algorithm>
#include <array>

#include "search/carry_out.h"
#include "search/frugal.h"

namespace tamp::search {
namespace {

// How much more is doomed, one after another, while no command is found.
constexpr std::array kPresses = {0.0, 0.005, 0.01, 0.02, 0.04, 0.08};

bool any_empty(const std::vector<gates::Candidate>& candidates) {
  return std::any_of(candidates.begin(), candidates.end(),
                     [](const gates::Candidate& c) { return c.eligible() && c.empty; });
}

}  // namespace

Traveller::Traveller(const situation::Context& context, const PlanOptions& options, Moves* start)
    : context_(context),
      options_(options),
      cluster_(context.cluster),
      types_(situation::index_types(cluster_)),
      start_(start),
      cost_(cost_now()) {
  options_.rest = options_.candidates = false;
  road_.hourly_cost = cost_;
  road_.nodes = cluster_.nodes.size();
  for (const Pod& pod : cluster_.pods) road_.pods += pod.terminal() ? 0U : 1U;
}

Road Traveller::take_road() {
  road_.names = cluster_.symbols;
  return std::move(road_);
}

situation::Context Traveller::here() const {
  const NodeId leader = context_.leader_node.valid()
                            ? cluster_.find_node(context_.cluster.text(
                                  context_.cluster.nodes[context_.leader_node.index()].name))
                            : NodeId();
  situation::Context context{cluster_, context_.settings, context_.now, context_.last_node_deleted, leader};
  context.ties = context_.ties;
  return context;
}

Moves& Traveller::moves() {
  if (start_ != nullptr) return *start_;
  if (!moves_) {
    moves_ = std::make_unique<Moves>(here());
    effort_ += cluster_.pods.size();
  }
  return *moves_;
}

Money Traveller::cost_now() const {
  const situation::Context context = here();
  Money total;
  for (const Node& node : cluster_.nodes)
    total += situation::price_node(context, types_, node).price.value_or(Money{});
  return total;
}

std::optional<price::Command> Traveller::plan(const PlanOptions& options) {
  const std::uint64_t before = moves().effort();
  Plan plan = make_plan(moves(), options);
  effort_ += moves().effort() - before;
  if (plan.commands.empty()) return std::nullopt;
  return std::move(plan.commands.front());
}

std::optional<price::Command> Traveller::pass() { return plan(options_); }

std::optional<price::Command> Traveller::frugal(const Heading& heading) {
  const bool there = cost_.dollars() <= heading.most;
  // At the end no index is needed to see that nothing is empty.
  if (there && start_ == nullptr && !moves_ && !(options_.empty && any_empty(gates::assess_nodes(here()))))
    return std::nullopt;
  if (options_.empty && any_empty(moves().candidates())) {
    PlanOptions only_empty = options_;
    only_empty.multi = only_empty.single = false;
    if (auto command = plan(only_empty)) return command;
  }
  if (there || context_.settings.paused) return std::nullopt;
  const std::uint64_t before = moves().effort();
  const auto order = moves().in_order(false);
  const auto& budgets = moves().budgets(DisruptionReason::Underutilized);
  std::optional<price::Command> command;
  for (std::size_t i = 0; i < kPresses.size() && !command; ++i)
    command = frugal_command(moves(), order, budgets, {heading.most, kPresses[i], heading.taste});
  effort_ += moves().effort() - before;
  return command ? std::move(command) : pass();
}

void Traveller::carry_out_next(const price::Command& command) {
  Step step;
  step.method = command.method;
  step.disruption_cost = command.disruption_cost;
  const auto name_of = [&](NodeId n) { return cluster_.nodes[n.index()].name; };
  for (NodeId n : command.nodes) step.nodes.push_back(name_of(n));
  std::vector<std::size_t> replacement_of;  // by move
  for (const price::Move& m : command.moves)
    if (m.from.valid() && m.pod.index() < cluster_.pods.size()) {
      const Pod& pod = cluster_.pods[m.pod.index()];
      step.moves.push_back({pod.ns, pod.name, name_of(m.from), m.to.valid() ? name_of(m.to) : Symbol()});
      replacement_of.push_back(m.replacement);
    }
  start_ = nullptr;
  moves_.reset();
  carry_out(cluster_, command, context_.now, made_ + 1);

  for (const price::Replacement& r : command.replacements) {
    const Node& node = cluster_.nodes[cluster_.find_node(replacement_name(++made_)).index()];
    const situation::NodePrice is = situation::price_node(here(), types_, node);
    step.made.push_back({node.name, cluster_.pools[r.pool.index()].name,
                         node.labels.get(cluster_.known.instance_type), is.zone, is.capacity_type,
                         is.price.value_or(Money{})});
  }
  for (std::size_t i = 0; i < step.moves.size(); ++i)
    if (StepMove& m = step.moves[i]; !m.to.valid()) m.to = step.made[replacement_of[i]].node;
  const Money now = cost_now();
  step.savings = cost_ - now;
  step.hourly_cost = cost_ = now;
  step.nodes_left = cluster_.nodes.size();
  step.moved = moved() + step.moves.size();
  step.saved = road_.hourly_cost - now;
  road_.steps.push_back(std::move(step));
}

}  // namespace tamp::search
