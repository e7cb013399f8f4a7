#include "replay/churn_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/json_writer.h"
#include "explain/layout.h"

namespace tamp::replay {
namespace {

using replay::Outcome;
using replay::Sample;

constexpr double kWidth = 760, kHeight = 360, kLeft = 60, kRight = 200, kTop = 30, kBottom = 50;
constexpr std::array<const char*, 8> kInks = {"#6e7781", "#cf222e", "#9a6700", "#8250df",
                                              "#0969da", "#1a7f37", "#bf3989", "#57606a"};

double saved(const std::vector<Outcome>& all, const Outcome& one) {
  return all.front().dollars - one.dollars;
}

double per_eviction(const std::vector<Outcome>& all, const Outcome& one) {
  return one.evictions > 0 ? saved(all, one) / static_cast<double>(one.evictions) : 0;
}

std::string begin_svg(std::string_view title) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n<text x=\"{2}\" y=\"20\" "
      "font-size=\"15\">{3}</text>\n",
      kWidth, kHeight, kLeft, title);
}

// A picture's two axes, from 0 on.
struct Axes {
  double most_x, most_y;
  double x(double value) const { return kLeft + value / most_x * (kWidth - kLeft - kRight); }
  double y(double value) const { return kHeight - kBottom - value / most_y * (kHeight - kTop - kBottom); }
  std::string drawn(std::string_view what_x, std::string_view what_y) const {
    std::string out;
    for (int i = 0; i <= 4; ++i) {
      const double value = most_y * i / 4;
      out += fmt::format(
          "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#d0d7de\"/>\n"
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.2f}</text>\n",
          kLeft, kWidth - kRight, y(value), y(value), kLeft - 6, y(value) + 4, value);
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.0f}</text>\n",
                         x(most_x * i / 4), kHeight - kBottom + 18, most_x * i / 4);
    }
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       (kLeft + kWidth - kRight) / 2, kHeight - 12, what_x);
    return out + fmt::format("<text x=\"8\" y=\"{:.1f}\">{}</text>\n", kTop - 10, what_y);
  }
};

const char* ink(std::size_t i) { return kInks[i % kInks.size()]; }

}  // namespace

std::string churn_page(const std::vector<Outcome>& outcomes, const explain::Style& style) {
  explain::Table table(
      {explain::Align::Left, explain::Align::Right, explain::Align::Right, explain::Align::Right,
       explain::Align::Right, explain::Align::Right, explain::Align::Right, explain::Align::Right,
       explain::Align::Right, explain::Align::Right, explain::Align::Right},
      0);
  table.header({"RULES", "COST $", "SAVED $", "EVICTIONS", "MOST OF A POD", "IN 1H", "NODES DISRUPTED",
                "MOST IN 30M", "BOUGHT AND GONE IN 1H", "SAVED $ PER EVICTION", "CASCADE"});
  for (const Outcome& o : outcomes)
    table.row({{explain::printable(o.name)},
               {fmt::format("{:.2f}", o.dollars)},
               {fmt::format("{:.2f}", saved(outcomes, o)), explain::Ink::Green},
               {std::to_string(o.evictions)},
               {std::to_string(o.most_evictions)},
               {std::to_string(o.most_evictions_in_an_hour)},
               {std::to_string(o.nodes_disrupted)},
               {std::to_string(o.most_disrupted_in_half_an_hour)},
               {std::to_string(o.bought_and_disrupted)},
               {o.evictions > 0 ? fmt::format("{:.3f}", per_eviction(outcomes, o)) : "–"},
               {o.cascade() ? "yes" : "no", o.cascade() ? explain::Ink::Red : explain::Ink::Green}});
  return table.render(style);
}

std::string churn_json(const std::vector<Outcome>& outcomes) {
  JsonWriter w(JsonWriter::Style::Pretty);
  w.begin_object().key("rules").begin_array();
  for (const Outcome& o : outcomes) {
    w.begin_object().field("name", o.name).field("dollars", o.dollars).field("saved", saved(outcomes, o));
    w.field("evictions", o.evictions).field("mostEvictionsOfAPod", o.most_evictions);
    w.field("mostEvictionsOfAPodInAnHour", o.most_evictions_in_an_hour);
    w.field("evictedAgainWithinAnHour", o.again).field("nodesRemoved", o.nodes_removed);
    w.field("nodesDisrupted", o.nodes_disrupted).field("nodesBought", o.nodes_bought);
    w.field("mostDisruptedInHalfAnHour", o.most_disrupted_in_half_an_hour);
    w.field("boughtAndDisruptedWithinAnHour", o.bought_and_disrupted).field("cascade", o.cascade());
    w.field("medianNodeLifetimeMinutes", o.median_lifetime)
        .field("savedPerEviction", per_eviction(outcomes, o));
    w.key("samples").begin_array();
    for (const Sample& s : o.samples) {
      w.begin_object().field("minute", s.minute).field("nodes", s.nodes).field("pods", s.pods);
      w.field("hourlyCost", s.dollars_per_hour).end_object();
    }
    w.end_array().end_object();
  }
  w.end_array().end_object();
  return w.take() + "\n";
}

std::string churn_svg(const std::vector<Outcome>& outcomes) {
  Axes axes{1, 0.01};
  for (const Outcome& o : outcomes)
    for (const Sample& s : o.samples) {
      axes.most_x = std::max(axes.most_x, static_cast<double>(s.minute) / 60);
      axes.most_y = std::max(axes.most_y, s.dollars_per_hour);
    }
  std::string out = begin_svg("Cost over time") + axes.drawn("hours", "$/hour");
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    out += fmt::format("<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"{}\" points=\"", ink(i));
    for (const Sample& s : outcomes[i].samples)
      out += fmt::format("{:.1f},{:.1f} ", axes.x(static_cast<double>(s.minute) / 60),
                         axes.y(s.dollars_per_hour));
    out += fmt::format("\"/>\n<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"{}\">{}</text>\n", kWidth - kRight + 8,
                       kTop + 20 + 18 * static_cast<double>(i), ink(i), outcomes[i].name);
  }
  return out + "</svg>\n";
}

std::string churn_curve_svg(const std::vector<Outcome>& outcomes) {
  Axes axes{1, 0.01};
  for (const Outcome& o : outcomes) {
    axes.most_x = std::max(axes.most_x, static_cast<double>(o.evictions));
    axes.most_y = std::max(axes.most_y, saved(outcomes, o));
  }
  std::string out = begin_svg("Savings against disruption") + axes.drawn("evictions", "$ saved");
  out += "<polyline fill=\"none\" stroke=\"#1a7f37\" points=\"";
  std::string points;
  for (std::size_t i = 1; i < outcomes.size(); ++i) {
    const double x = axes.x(static_cast<double>(outcomes[i].evictions)),
                 y = axes.y(saved(outcomes, outcomes[i]));
    out += fmt::format("{:.1f},{:.1f} ", x, y);
    points += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"#1a7f37\"/>\n<text x=\"{:.1f}\" "
        "y=\"{:.1f}\">{}</text>\n",
        x, y, x + 6, i % 2 == 0 ? y + 15 : y - 5, outcomes[i].name);
  }
  return out + "\"/>\n" + points + "</svg>\n";
}

}  // namespace tamp::replay
