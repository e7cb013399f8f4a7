// A cluster as a picture for a terminal: what it costs, every node as a bar, what was decided and why, and what happened
// last. What `tamp demo` shows, again and again, while time passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/money.h"
#include "core/time.h"
#include "explain/style.h"

namespace tamp::terminal {

struct FleetNode {
  enum class State : std::uint8_t { Ready, Joining, NotReady, Cordoned, Going, Planned };
  std::string name, pool, type;
  std::optional<Money> price;  // per hour
  double cpu = 0, memory = 0;  // requested, as a share of allocatable
  std::size_t pods = 0;
  State state = State::Ready;
};

// A run as far as it got.
struct FleetRun {
  std::string name, phase, reason;
  std::size_t left = 0, of = 0;  // pods
  bool over = false;
  bool operator==(const FleetRun&) const = default;
};
// "run-1: Draining, 1 of 3 pods have left"
std::string run_news(const FleetRun& run);

// One line of what happened, or was decided.
struct FleetNews {
  Time at;
  explain::Ink ink = explain::Ink::Plain;
  std::string text;
};

struct FleetPage {
  std::string title;
  Time now;
  double speed = 1;
  std::vector<FleetNode> nodes;  // in the order in which they are shown
  std::size_t pods = 0, pending = 0;
  std::optional<Money> cost_at_start;
  // Of the published plan.
  std::string plan_hash;               // empty: there is none
  std::vector<std::string> plan;       // what it would do, a line each
  std::vector<std::string> reasons;    // why the others stay, a line each, dearest first
  std::vector<FleetRun> runs;          // all of them
  std::vector<FleetNews> news;         // newest last
  std::vector<std::string> try_these;  // commands
};

// The whole picture, `rows` lines at most; what there is no room for is counted, not silently cut.
std::string fleet_page(const FleetPage& page, const explain::Style& style, std::size_t rows);
// One line: "09:12:30  3 nodes  $0.402/h  12 pods".
std::string fleet_line(const FleetPage& page, const explain::Style& style);
// A line of news as it stands alone, in a pipe or a log.
std::string news_line(const FleetNews& news, const explain::Style& style);

Money fleet_cost(const FleetPage& page);

}  // namespace tamp::terminal
