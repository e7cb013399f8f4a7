#include <fmt/format.h>

#include <algorithm>

#include "explain/layout.h"
#include "explain/plan_report.h"
#include "explain/plan_summary.h"
#include "explain/proposal_page.h"
#include "explain/road_page.h"
#include "explain/words.h"

namespace tamp::explain {
namespace {

constexpr std::size_t kPodsShown = 4;   // per destination
constexpr std::size_t kNextShown = 8;   // other nodes that could go
constexpr std::size_t kNamesShown = 4;  // further nodes of a reason
constexpr std::size_t kBarCells = 16;

std::string type_of(const Cluster& cluster, NodeId node) {
  return text(cluster, cluster.nodes[node.index()].labels.get(cluster.known.instance_type));
}

const gates::Candidate* candidate_of(const search::Plan& plan, NodeId node) {
  return node.index() < plan.candidates.size() ? &plan.candidates[node.index()] : nullptr;
}

// "m8i.large", "m8i.large +14"
std::string type_list(const Cluster& cluster, const price::Replacement& replacement) {
  if (replacement.types.empty()) return "?";
  std::string out = text(cluster, cluster.catalogue->types[replacement.types.front().index()].name);
  if (replacement.types.size() > 1) out += fmt::format(" +{}", replacement.types.size() - 1);
  return out;
}

std::string join(const Cluster& cluster, const std::vector<Symbol>& symbols, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < std::min(most, symbols.size()); ++i)
    out += (i == 0 ? "" : ",") + text(cluster, symbols[i]);
  if (symbols.size() > most) out += fmt::format(" +{}", symbols.size() - most);
  return out;
}

std::size_t pods_moved(const price::Command& command) {
  return static_cast<std::size_t>(std::count_if(command.moves.begin(), command.moves.end(),
                                                [](const price::Move& m) { return m.from.valid(); }));
}

class Page {
 public:
  Page(const PlanReport& report, const Style& style)
      : report_(report),
        cluster_(report.cluster),
        plan_(report.plan),
        style_(style),
        sum_(summarize(report)) {}

  std::string render() {
    header();
    if (report_.every) {
      every();
    } else {
      for (const price::Command& command : plan_.commands) this->command(command);
      if (plan_.commands.empty()) nothing();
      next();
    }
    kept();
    hints();
    return std::move(out_);
  }

 private:
  std::string paint(Ink ink, std::string_view t) const { return explain::paint(style_, ink, t); }

  // Left and right on one line, or on two where the page is too narrow.
  void spread(std::string_view left, Ink left_ink, std::string_view right, Ink right_ink) {
    const std::size_t used = display_width(left) + display_width(right);
    const std::size_t width = std::min<std::size_t>(style_.width, 100);
    out_ += paint(left_ink, left);
    out_ += used + 2 <= width ? std::string(width - used, ' ') : "\n  ";
    out_ += paint(right_ink, right) + "\n";
  }

  std::string saves(Money savings, bool known) const {
    if (!known) return "saves an unknown amount";
    std::string out = fmt::format("saves {}, {}", per_hour(savings), per_month(savings));
    if (plan_.hourly_cost.nanos > 0)
      out += fmt::format(", {} of the bill", percent(savings.dollars() / plan_.hourly_cost.dollars()));
    return out;
  }

  void header() {
    out_ += paint(Ink::Bold, "tamp plan") +
            paint(Ink::Dim, fmt::format("  {}  {}", format_rfc3339(plan_.decided_at),
                                        report_.proposal != nullptr
                                            ? "proven from measurements, see below"
                                            : "decided on requests alone, without measurements")) +
            "\n\n  ";
    out_ += paint(Ink::Bold, count(cluster_.nodes.size(), "node", "nodes")) + "   ";
    out_ += paint(Ink::Bold, count(live_pods(cluster_), "pod", "pods")) + "   ";
    out_ += paint(Ink::Bold, per_hour(plan_.hourly_cost)) + "   ";
    out_ += paint(Ink::Bold, per_month(plan_.hourly_cost)) + "   ";
    out_ += paint(Ink::Dim, fmt::format("requested: cpu {:.0f}%, memory {:.0f}%", sum_.cpu_requested * 100,
                                        sum_.memory_requested * 100));
    out_ += "\n";
    if (sum_.unpriced > 0)
      out_ += paint(Ink::Dim, fmt::format("  {} of unknown price not counted in the bill\n",
                                          count(sum_.unpriced, "node", "nodes")));
    out_ += "\n";
  }

  void command(const price::Command& command) {
    const std::string nodes = count(command.nodes.size(), "node", "nodes");
    std::string what;
    if (command.replacements.size() > 1)
      what = fmt::format("REPLACE {} by {} cheaper ones", nodes, command.replacements.size());
    else if (command.replaces())
      what = fmt::format("REPLACE {} by a cheaper one", nodes);
    else if (command.method == price::Method::Empty)
      what =
          fmt::format("DELETE {} {}", nodes, command.nodes.size() == 1 ? "that is empty" : "that are empty");
    else
      what = fmt::format("DELETE {}", nodes);
    spread(what, Ink::Bold, saves(command.savings, command.savings_known), Ink::Green);
    out_ += "\n";
    command_nodes(command);
    command_moves(command);
    if (command.disruption_cost > 0) {
      std::string cost = fmt::format("  disruption cost {}", decimal(command.disruption_cost));
      if (command.required_savings.nanos > 0)
        cost += fmt::format(", worth it from {}", per_hour(command.required_savings));
      out_ += paint(Ink::Dim, cost) + "\n";
    }
    out_ += "\n";
  }

  void command_nodes(const price::Command& command) {
    Table table({Align::Left, Align::Left, Align::Left, Align::Left, Align::Left, Align::Right, Align::Right},
                2);
    table.header({"", "NODE", "TYPE", "CAPACITY", "ZONE", "$/HOUR", "PODS"});
    for (const NodeId node : command.nodes) {
      const gates::Candidate* c = candidate_of(plan_, node);
      table.row({{"-", Ink::Red},
                 {node_name(cluster_, node)},
                 {type_of(cluster_, node)},
                 {c != nullptr ? text(cluster_, c->capacity_type) : ""},
                 {c != nullptr ? text(cluster_, c->zone) : ""},
                 {hour_amount(c != nullptr ? c->price : std::nullopt)},
                 {c != nullptr ? std::to_string(c->pods.size()) : ""}});
    }
    for (std::size_t i = 0; i < command.replacements.size(); ++i) {
      const price::Replacement& r = command.replacements[i];
      const auto arriving =
          std::count_if(command.moves.begin(), command.moves.end(),
                        [&](const price::Move& m) { return !m.to.valid() && m.replacement == i; });
      table.row({{"+", Ink::Green},
                 {new_node(command, i) + ", pool " + text(cluster_, cluster_.pools[r.pool.index()].name)},
                 {type_list(cluster_, r)},
                 {join(cluster_, r.capacity_types, 2)},
                 {join(cluster_, r.zones, 1)},
                 {hour_amount(r.price)},
                 {std::to_string(arriving)}});
    }
    out_ += table.render(style_) + "\n";
  }

  void command_moves(const price::Command& command) {
    std::vector<price::Move> moves;
    for (const price::Move& move : command.moves)
      if (move.from.valid()) moves.push_back(move);
    if (moves.empty()) return;
    std::sort(moves.begin(), moves.end(), [](const price::Move& a, const price::Move& b) {
      return std::tuple(a.to, a.replacement, a.pod) < std::tuple(b.to, b.replacement, b.pod);
    });
    out_ +=
        fmt::format("  {} {}\n", count(moves.size(), "pod", "pods"), moves.size() == 1 ? "moves" : "move");
    Table table({Align::Left, Align::Right, Align::Left}, 2);
    for (std::size_t at = 0; at < moves.size();) {
      std::size_t end = at;
      std::string pods;
      for (; end < moves.size() && moves[end].to == moves[at].to &&
             moves[end].replacement == moves[at].replacement;
           ++end)
        if (end - at < kPodsShown) pods += (end == at ? "" : ", ") + pod_name(cluster_, moves[end].pod);
      if (end - at > kPodsShown) pods += fmt::format(" and {} more", end - at - kPodsShown);
      table.row({{"→ " + destination(cluster_, command, moves[at]), Ink::Cyan},
                 {std::to_string(end - at)},
                 {std::move(pods), Ink::Dim}});
      at = end;
    }
    out_ += table.render(style_);
  }

  void nothing() {
    spread("NOTHING TO DO", Ink::Bold, "no move would save enough and leave every pod a place", Ink::Dim);
    out_ += "\n";
  }

  // One line for each command that stands on its own.
  void own_commands(const std::vector<const price::Command*>& commands, std::size_t most) {
    Table table({Align::Left, Align::Left, Align::Left, Align::Right, Align::Right, Align::Right}, 2);
    table.header({"NODE", "TYPE", "WHAT", "PODS", "$/HOUR", "$/MONTH"});
    for (std::size_t i = 0; i < std::min(most, commands.size()); ++i) {
      const price::Command& command = *commands[i];
      const NodeId node = command.nodes.front();
      std::string what = command.replaces() ? "" : "delete";
      for (const price::Replacement& r : command.replacements)
        what += (what.empty() ? "→ " : ", ") + type_list(cluster_, r);
      table.row({{node_name(cluster_, node)},
                 {type_of(cluster_, node)},
                 {what},
                 {std::to_string(pods_moved(command))},
                 {command.savings_known ? hour_amount(command.savings) : "?", Ink::Green},
                 {command.savings_known ? month_amount(command.savings) : "?", Ink::Green}});
    }
    if (commands.size() > most)
      table.note(fmt::format("and {} more: tamp plan --every", commands.size() - most), Ink::Dim);
    out_ += table.render(style_) + "\n";
  }

  void next() {
    if (sum_.next.empty()) return;
    spread("COULD GO TOO", Ink::Bold, "each on its own, in place of the above", Ink::Dim);
    out_ += "\n";
    own_commands(sum_.next, kNextShown);
  }

  void every() {
    if (plan_.commands.empty()) return nothing();
    spread(fmt::format("{} COULD GO", count(plan_.commands.size(), "NODE", "NODES")), Ink::Bold,
           "each on its own, not to be carried out together", Ink::Dim);
    out_ += "\n";
    std::vector<const price::Command*> commands;
    commands.reserve(plan_.commands.size());
    for (const price::Command& command : plan_.commands) commands.push_back(&command);
    own_commands(commands, commands.size());
  }

  void kept() {
    if (sum_.kept.empty()) return;
    spread(fmt::format("WHAT KEEPS THE OTHER {}", count(sum_.kept_nodes, "NODE", "NODES")), Ink::Bold,
           fmt::format("{}, {}", per_hour(sum_.kept_cost), per_month(sum_.kept_cost)), Ink::Yellow);
    out_ += "\n";
    const double most = sum_.kept.front().pinned.dollars();
    Table table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Left}, 2);
    table.header({"REASON", "NODES", "$/HOUR", "$/MONTH", ""});
    for (const ReasonGroup& group : sum_.kept) {
      const bool waiting = group.reason == gates::Reason::None;
      table.row({{waiting ? "eligible" : std::string(gates::name(group.reason)),
                  waiting ? Ink::Green : Ink::Yellow},
                 {std::to_string(group.nodes.size())},
                 {group.priced ? hour_amount(group.pinned) : "?"},
                 {group.priced ? month_amount(group.pinned) : "?"},
                 {most > 0 ? bar(group.pinned.dollars() / most, kBarCells) : "", Ink::Yellow}});
      const KeptNode& example = group.nodes.front();
      const std::string message = waiting && example.message.empty() ? "no gate objects; a later pass decides"
                                                                     : printable(example.message);
      std::string note = node_name(cluster_, example.node);
      if (!message.empty()) note += ": " + message;
      table.note(std::move(note), Ink::Plain);
      if (group.nodes.size() > 1) table.note("also " + other_names(group), Ink::Dim);
    }
    out_ += table.render(style_) + "\n";
  }

  std::string other_names(const ReasonGroup& group) const {
    std::string out;
    const std::size_t shown = std::min(group.nodes.size(), kNamesShown + 1);
    for (std::size_t i = 1; i < shown; ++i)
      out += (i == 1 ? "" : ", ") + node_name(cluster_, group.nodes[i].node);
    if (group.nodes.size() > shown) out += fmt::format(" and {} more", group.nodes.size() - shown);
    return out;
  }

  void hints() {
    Table table({Align::Left, Align::Left}, 2);
    if (!sum_.kept.empty())
      table.row({{"tamp explain " + node_name(cluster_, sum_.kept.front().nodes.front().node), Ink::Cyan},
                 {"every gate of one node, and what would have to change", Ink::Dim}});
    if (!report_.every)
      table.row({{"tamp plan --every", Ink::Cyan}, {"a verdict for each node on its own", Ink::Dim}});
    table.row({{"tamp plan -o json", Ink::Cyan}, {"the same for tools", Ink::Dim}});
    out_ += table.render(style_);
    if (report_.timings)
      out_ += paint(Ink::Dim, fmt::format("\n  read in {:.1f} ms, planned in {:.1f} ms\n",
                                          report_.timings->read_ms, report_.timings->plan_ms));
  }

  const PlanReport& report_;
  const Cluster& cluster_;
  const search::Plan& plan_;
  const Style& style_;
  PlanSummary sum_;
  std::string out_;
};

}  // namespace

std::string plan_page(const PlanReport& report, const Style& style) {
  std::string page = Page(report, style).render();
  if (report.proposal != nullptr) page += "\n" + proposal_page(*report.proposal, style);
  if (report.road != nullptr) page += "\n" + road_page(*report.road, style);
  return page;
}

}  // namespace tamp::explain
