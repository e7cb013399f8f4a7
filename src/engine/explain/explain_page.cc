#include <fmt/format.h>

#include <algorithm>

#include "explain/explain_report.h"
#include "explain/layout.h"
#include "explain/tier_counts.h"
#include "explain/words.h"

namespace tamp::explain {
namespace {

class Page {
 public:
  Page(const ExplainReport& report, const Style& style)
      : cluster_(report.cluster),
        e_(report.explanation),
        at_(report.decided_at),
        tiers_(report.tiers),
        style_(style) {}

  std::string render() {
    header();
    verdict();
    gates();
    obstacles();
    prices();
    advice();
    return std::move(out_);
  }

 private:
  std::string paint(Ink ink, std::string_view t) const { return explain::paint(style_, ink, t); }

  void title(std::string_view t) { out_ += "\n" + paint(Ink::Bold, t) + "\n"; }

  void header() {
    const gates::Candidate& c = e_.candidate;
    const Node& node = cluster_.nodes[e_.node.index()];
    out_ += paint(Ink::Bold, node_name(cluster_, e_.node)) +
            paint(Ink::Dim, fmt::format("  {}  decided on requests alone", format_rfc3339(at_))) + "\n\n  ";
    std::vector<std::string> parts;
    const auto add = [&](std::string part) {
      if (!part.empty()) parts.push_back(std::move(part));
    };
    add(text(cluster_, node.labels.get(cluster_.known.instance_type)));
    add(text(cluster_, c.capacity_type));
    add(text(cluster_, c.zone));
    if (c.pool.valid()) add("pool " + text(cluster_, cluster_.pools[c.pool.index()].name));
    add(c.price ? fmt::format("{}, {}", per_hour(*c.price), per_month(*c.price)) : "price unknown");
    for (std::size_t i = 0; i < parts.size(); ++i) out_ += (i == 0 ? "" : " · ") + parts[i];
    out_ += "\n  " + (c.pods.empty() ? std::string("no pods to move")
                                     : fmt::format("{} to move ({}) · disruption cost {}",
                                                   count(c.pods.size(), "pod", "pods"),
                                                   tiers_in_words(tier_counts(cluster_, c.pods, tiers_)),
                                                   decimal(c.disruption_cost)));
    if (c.lifetime_remaining < 1.0)
      out_ += fmt::format(" · {} of its lifetime left", percent(c.lifetime_remaining));
    out_ += "\n\n";
  }

  void verdict() {
    switch (e_.verdict.verdict) {
      case search::Verdict::Command:
        out_ += paint(Ink::Green, "CAN GO");
        break;
      case search::Verdict::Eligible:
        out_ += paint(Ink::Green, "ELIGIBLE");
        break;
      case search::Verdict::Blocked:
        out_ += paint(Ink::Red, "STAYS") + "  " + paint(Ink::Bold, gates::name(e_.verdict.reason));
        break;
    }
    out_ += "\n";
    for (const std::string& line : wrap(printable(e_.verdict.message), style_.width - 2))
      if (!line.empty()) out_ += "  " + line + "\n";
    if (e_.command) command(*e_.command);
  }

  void command(const price::Command& command) {
    std::string what = "delete it";
    if (command.replaces()) {
      std::string types;
      for (const price::Replacement& r : command.replacements)
        if (!r.types.empty())
          types += (types.empty() ? "" : " and ") +
                   text(cluster_, cluster_.catalogue->types[r.types.front().index()].name);
      what = fmt::format("replace it by {} at {} or less", types, per_hour(command.replacements_price()));
    }
    out_ += fmt::format("  {}: ", what);
    out_ += command.savings_known ? paint(Ink::Green, fmt::format("saves {}, {}", per_hour(command.savings),
                                                                  per_month(command.savings)))
                                  : "saves an unknown amount";
    out_ += "\n";
    Table table({Align::Left, Align::Left}, 2);
    for (const price::Move& move : command.moves) {
      if (!move.from.valid()) continue;
      table.row({{pod_name(cluster_, move.pod)}, {"→ " + destination(cluster_, command, move), Ink::Cyan}});
    }
    out_ += table.render(style_);
  }

  void gates() {
    if (e_.gates.empty()) return;
    title("GATES, in order");
    Table table({Align::Left, Align::Left, Align::Left}, 2);
    for (const gates::GateOutcome& gate : e_.gates) {
      std::string message = printable(gate.message);
      if (gate.source) message += fmt::format("{}[{}]", message.empty() ? "" : "  ", sentence(*gate.source));
      table.row({{gate.passed ? "✓" : "✗", gate.passed ? Ink::Green : Ink::Red},
                 {std::string(gates::name(gate.gate)), gate.passed ? Ink::Plain : Ink::Bold},
                 {std::move(message), gate.passed ? Ink::Dim : Ink::Plain}});
    }
    out_ += table.render(style_);
  }

  // In the manner of kube-scheduler's events: "0/12 nodes: 7 insufficient resources, 3 taint not tolerated".
  void obstacles() {
    if (e_.obstacles.empty()) return;
    title("PODS WITHOUT A PLACE");
    Table table({Align::Left, Align::Left}, 2);
    for (const explain::PodObstacle& obstacle : e_.obstacles) {
      auto reasons = obstacle.node_reasons;
      std::sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
      });
      int total = 0;
      std::string list;
      for (const auto& [reason, n] : reasons) {
        total += n;
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", n, complaint(reason));
      }
      std::string line = total == 0 ? "no other node" : fmt::format("0/{} nodes: {}", total, list);
      if (!obstacle.new_node_reason.empty()) line += "; new node: " + printable(obstacle.new_node_reason);
      table.row({{pod_name(cluster_, obstacle.pod)}, {std::move(line)}});
    }
    out_ += table.render(style_);
  }

  void prices() {
    if (!e_.cheapest_rejected) return;
    const price::RejectedReplacement& r = *e_.cheapest_rejected;
    title("CHEAPEST REPLACEMENT THAT WAS REJECTED");
    out_ += fmt::format("  {} at {}: would have to be {} cheaper\n",
                        text(cluster_, cluster_.catalogue->types[r.type.index()].name), per_hour(r.price),
                        per_hour(r.gap));
  }

  void advice() {
    if (e_.advice.empty()) return;
    title("WHAT WOULD HAVE TO CHANGE");
    Table table({Align::Left, Align::Left}, 2);
    for (const std::string& line : e_.advice) table.row({{"•", Ink::Cyan}, {printable(line)}});
    out_ += table.render(style_);
  }

  const Cluster& cluster_;
  const explain::Explanation& e_;
  Time at_;
  TierFloors tiers_;
  const Style& style_;
  std::string out_;
};

}  // namespace

std::string explain_page(const ExplainReport& report, const Style& style) {
  return Page(report, style).render();
}

}  // namespace tamp::explain
