#include "terminal/fleet_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "explain/layout.h"
#include "explain/words.h"

namespace tamp::terminal {
namespace {

// Above this every node is a cell and no longer a line.
constexpr std::size_t kMostLines = 24;
// On a page that is too low for everything.
constexpr std::size_t kNewsLeast = 5;
constexpr std::size_t kMostReasons = 4;

std::string clock_text(Time time) {
  const CivilTime civil = to_civil(time);
  return fmt::format("{:02}:{:02}:{:02}", civil.hour, civil.minute, civil.second);
}

struct Look {
  explain::Ink ink;
  const char* word;
};

Look look_of(FleetNode::State state) {
  switch (state) {
    case FleetNode::State::Ready:
      return {explain::Ink::Green, ""};
    case FleetNode::State::Joining:
      return {explain::Ink::Cyan, "joining"};
    case FleetNode::State::NotReady:
      return {explain::Ink::Red, "not ready"};
    case FleetNode::State::Cordoned:
      return {explain::Ink::Yellow, "cordoned"};
    case FleetNode::State::Going:
      return {explain::Ink::Yellow, "going"};
    case FleetNode::State::Planned:
      return {explain::Ink::Cyan, "could go"};
  }
  return {explain::Ink::Plain, ""};
}

std::string price_text(const std::optional<Money>& price) {
  return price ? format_money(*price, 3) + "/h" : "price unknown";
}

std::vector<std::string> node_lines(const FleetPage& page, const explain::Style& style) {
  explain::Table table(
      {explain::Align::Left, explain::Align::Left, explain::Align::Right, explain::Align::Left,
       explain::Align::Left, explain::Align::Right, explain::Align::Left},
      2);
  const std::size_t cells = style.width >= 110 ? 20 : 12;
  for (const FleetNode& node : page.nodes) {
    const Look look = look_of(node.state);
    const auto share = [&](const char* what, double value) {
      return fmt::format("{} {} {:>4}", what, explain::bar(value, cells),
                         fmt::format("{:.0f}%", value * 100));
    };
    table.row({{explain::printable(node.name)},
               {explain::printable(node.type), explain::Ink::Dim},
               {price_text(node.price), explain::Ink::Dim},
               {share("cpu", node.cpu), look.ink},
               {share("mem", node.memory), look.ink},
               {std::to_string(node.pods) + (node.pods == 1 ? " pod" : " pods")},
               {look.word, look.ink}});
  }
  std::vector<std::string> lines;
  const std::string text = table.render(style);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// A cell for each node, as high as its cpu requests, by pool.
std::vector<std::string> node_cells(const FleetPage& page, const explain::Style& style) {
  static constexpr std::array<const char*, 9> kHeights = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<std::string> pools;
  for (const FleetNode& node : page.nodes)
    if (std::find(pools.begin(), pools.end(), node.pool) == pools.end()) pools.push_back(node.pool);
  std::sort(pools.begin(), pools.end());
  std::vector<std::string> lines;
  const std::size_t width = std::min<std::size_t>(style.width > 24 ? style.width - 22 : 20, 100);
  for (const std::string& pool : pools) {
    std::string line;
    std::size_t used = 0, count = 0;
    bool first = true;
    Money cost;
    const auto flush = [&](bool last) {
      std::string head = first ? explain::printable(pool) : "";
      head.resize(std::max<std::size_t>(head.size(), 14), ' ');
      lines.push_back(fmt::format("  {}{}", head, line));
      if (last)
        lines.back() += explain::paint(style, explain::Ink::Dim,
                                       fmt::format("  {} nodes, {}/h", count, format_money(cost, 2)));
      line.clear();
      used = 0;
      first = false;
    };
    for (const FleetNode& node : page.nodes) {
      if (node.pool != pool) continue;
      if (used == width) flush(false);
      const auto height = static_cast<std::size_t>(std::lround(std::clamp(node.cpu, 0.0, 1.0) * 8));
      line += explain::paint(style, look_of(node.state).ink, kHeights[height]);
      ++used;
      ++count;
      if (node.price) cost += *node.price;
    }
    flush(true);
  }
  return lines;
}

std::vector<std::string> cut(std::vector<std::string> lines, std::size_t most, const explain::Style& style) {
  if (lines.size() <= most) return lines;
  const std::size_t left_out = lines.size() - (most > 0 ? most - 1 : 0);
  lines.resize(most > 0 ? most - 1 : 0);
  if (most > 0)
    lines.push_back(explain::paint(style, explain::Ink::Dim, fmt::format("  … and {} more", left_out)));
  return lines;
}

// The text in one line of the page.
std::string fit(std::string_view text, std::size_t width) {
  std::string clean = explain::printable(text);
  if (explain::display_width(clean) <= width) return clean;
  std::string out;
  std::size_t used = 0;
  for (char c : clean) {
    const bool starts = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (starts && ++used >= width) break;
    out += c;
  }
  return out + "…";
}

void append(std::vector<std::string>& to, std::vector<std::string> lines) {
  for (std::string& line : lines) to.push_back(std::move(line));
}

// Title, time and what the fleet costs now.
std::vector<std::string> head_lines(const FleetPage& page, const explain::Style& style) {
  const Money cost = fleet_cost(page);
  const Money month{
      static_cast<std::int64_t>(std::llround(static_cast<double>(cost.nanos) * explain::kHoursPerMonth))};
  std::string head = fmt::format("  {}  ×{:g}   ", clock_text(page.now), page.speed);
  head += explain::paint(style, explain::Ink::Bold, fmt::format("{}/h", format_money(cost, 3)));
  head +=
      fmt::format("  ({}/month)   {} nodes   {} pods", format_money(month, 0), page.nodes.size(), page.pods);
  if (page.pending > 0)
    head += explain::paint(style, explain::Ink::Yellow, fmt::format("   {} pending", page.pending));
  if (page.cost_at_start && page.cost_at_start->nanos > 0 && cost < *page.cost_at_start)
    head += explain::paint(style, explain::Ink::Green,
                           fmt::format("   {:.0f}% below the start",
                                       100 * (1 - static_cast<double>(cost.nanos) /
                                                      static_cast<double>(page.cost_at_start->nanos))));
  return {explain::paint(style, explain::Ink::Bold, "  " + fit(page.title, style.width - 2)), std::move(head),
          ""};
}

// Runs at work, and the plan.
std::vector<std::string> plan_lines(const FleetPage& page, const explain::Style& style) {
  std::vector<std::string> lines = {""};
  bool at_work = false;
  for (const FleetRun& run : page.runs) {
    if (run.over) continue;
    at_work = true;
    lines.push_back("  " + explain::paint(style, explain::Ink::Bold, fit(run_news(run), style.width - 2)));
  }
  if (page.plan_hash.empty()) {
    lines.push_back(
        explain::paint(style, explain::Ink::Dim,
                       at_work ? "  no plan while it is at work" : "  no plan: nothing is worth moving now"));
    return lines;
  }
  lines.push_back(explain::paint(style, explain::Ink::Bold, "  plan " + page.plan_hash));
  for (const std::string& line : page.plan)
    lines.push_back("    " + explain::paint(style, explain::Ink::Cyan, fit(line, style.width - 4)));
  return lines;
}

// Why nodes stay.
std::vector<std::string> reason_lines(const FleetPage& page, const explain::Style& style) {
  std::vector<std::string> lines;
  lines.reserve(page.reasons.size());
  for (const std::string& line : page.reasons)
    lines.push_back("    " + explain::paint(style, explain::Ink::Dim, fit(line, style.width - 4)));
  return cut(std::move(lines), kMostReasons, style);
}

// What one could do next.
std::vector<std::string> hint_lines(const FleetPage& page, const explain::Style& style) {
  std::vector<std::string> lines;
  if (page.try_these.empty()) return lines;
  lines.emplace_back();
  for (const std::string& line : page.try_these)
    lines.push_back("  " + explain::paint(style, explain::Ink::Yellow, fit(line, style.width - 2)));
  return lines;
}

// The newest, as many as there is room for.
std::vector<std::string> news_lines(const FleetPage& page, const explain::Style& style, std::size_t room) {
  std::vector<std::string> lines;
  const std::size_t from = page.news.size() > room ? page.news.size() - room : 0;
  for (std::size_t i = from; i < page.news.size(); ++i) {
    FleetNews one = page.news[i];
    one.text = fit(one.text, style.width - 12);
    lines.push_back("  " + news_line(one, style));
  }
  return lines;
}

}  // namespace

Money fleet_cost(const FleetPage& page) {
  Money cost;
  for (const FleetNode& node : page.nodes)
    if (node.price) cost += *node.price;
  return cost;
}

std::string run_news(const FleetRun& run) {
  std::string line = run.name + ": " + run.phase;
  if (!run.reason.empty()) line += " (" + run.reason + ")";
  if (run.of > 0)
    line += fmt::format(", {} of {} have left", run.left, explain::count(run.of, "pod", "pods"));
  return line;
}

std::string news_line(const FleetNews& news, const explain::Style& style) {
  return explain::paint(style, explain::Ink::Dim, clock_text(news.at)) + "  " +
         explain::paint(style, news.ink, explain::printable(news.text));
}

std::string fleet_line(const FleetPage& page, const explain::Style& style) {
  const Money cost = fleet_cost(page);
  std::string line = explain::paint(style, explain::Ink::Dim, clock_text(page.now)) + "  " +
                     explain::paint(style, explain::Ink::Bold,
                                    fmt::format("{} nodes  {}/h", page.nodes.size(), format_money(cost, 3))) +
                     fmt::format("  {} pods", page.pods);
  if (page.pending > 0)
    line += explain::paint(style, explain::Ink::Yellow, fmt::format("  {} pending", page.pending));
  return line;
}

std::string fleet_page(const FleetPage& page, const explain::Style& style, std::size_t rows) {
  std::vector<std::string> lines = head_lines(page, style);
  std::vector<std::string> below = plan_lines(page, style);
  append(below, reason_lines(page, style));
  std::vector<std::string> tail = hint_lines(page, style);
  std::vector<std::string> nodes =
      page.nodes.size() <= kMostLines ? node_lines(page, style) : node_cells(page, style);

  const std::size_t fixed = lines.size() + below.size() + tail.size() + kNewsLeast + 1;
  append(lines, cut(std::move(nodes), rows > fixed + 3 ? rows - fixed : 3, style));
  append(lines, std::move(below));
  lines.emplace_back();
  const std::size_t taken = lines.size() + tail.size();
  append(lines, news_lines(page, style, rows > taken ? rows - taken : 1));
  append(lines, std::move(tail));
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

}  // namespace tamp::terminal
