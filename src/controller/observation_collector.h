// Asks the agents of all nodes for what they measure, round by round, and keeps the newest answer of each. Few questions are
// open at a time, and each has a deadline: an agent that is slow or dead holds up nobody but itself. The nodes of a run are asked more
// often, between the rounds: a guard that is to act within seconds cannot wait for a round of a large cluster.
//
// An answer is refused, without harm and with a count, if it is too large, makes no sense, speaks of another node, or is the
// very document of the last round: that agent has stopped measuring. What a node said before then grows old by itself.
//
// Age is judged by our own clock that never jumps, from the moment of receipt, never by an agent's date: observations() dates each
// document accordingly. How old a sample was when the document was made is in the document.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/log.h"
#include "controller/metrics.h"
#include "controller/observation_source.h"
#include "core/observation.h"

namespace tamp::controller {

struct CollectorOptions {
  Duration interval = Duration::seconds(10);  // from the beginning of a round to that of the next
  Duration close_interval =
      Duration::seconds(3);  // of nodes that are looked at closely; agents measure every second
  Duration deadline = Duration::seconds(5);  // of one question
  std::size_t concurrency = 16;
};

class ObservationCollector {
 public:
  ObservationCollector(net::Loop& loop, ObservationSource& source, const Log& log,
                       controller::Metrics& metrics, CollectorOptions options);
  ObservationCollector(const ObservationCollector&) = delete;
  ObservationCollector& operator=(const ObservationCollector&) = delete;

  // These nodes, from the next round on. Begins to ask if it did not. What other nodes said is forgotten.
  void look_after(std::vector<std::string> nodes);
  // These of them are asked between the rounds, too. As long as nothing else is said.
  void look_closely_at(std::vector<std::string> nodes);
  // Asks no more, and forgets everything.
  void stop();

  // How often every node was asked. Grows when a round is over.
  std::uint64_t rounds() const { return rounds_; }
  // Grows with every round, and with every answer of a node that is looked at closely.
  std::uint64_t news() const { return news_; }
  // What is known, in the order of node names, dated by our clock.
  Observations observations() const;

 private:
  struct Question {
    net::Pending answer, deadline;
  };
  struct Seen {
    Observation document;
    net::Instant received;
  };

  void begin_round();
  void look_again();
  void ask_more();
  void ask(const std::string& node);
  void answered(const std::string& node, Result<std::string> bytes);
  // One word for the metric; an empty problem is good news.
  void note(const std::string& node, std::string_view result, const std::string& problem);
  void close(const std::string& node);
  std::pair<std::string_view, std::string> judge(const std::string& node, Result<std::string> bytes);

  net::Loop& loop_;
  ObservationSource& source_;
  const Log& log_;
  controller::Metrics& metrics_;
  CollectorOptions options_;

  std::vector<std::string> nodes_;    // in order
  std::vector<std::string> closely_;  // in order; some may be unknown yet
  std::map<std::string, Seen> seen_;
  std::map<std::string, std::string_view> complaints_;  // the last result of a node that is not well
  std::deque<std::string> waiting_;
  std::set<std::string> due_;  // of the round that is under way
  std::map<std::string, Question> open_;
  bool running_ = false, in_round_ = false, looking_ = false;
  std::uint64_t rounds_ = 0, news_ = 0;
  net::Instant round_began_;
  net::Pending next_, next_look_;
};

}  // namespace tamp::controller
