// What is wrong with the way between one process and the API server, for a while: how often which misfortune befalls a
// request. Probabilities; 0 is a good day.
#pragma once

#include <string>

#include "core/time.h"

namespace tamp::sim {

struct Weather {
  double lost_before = 0;    // the request never arrives, and nobody says so
  double lost_after = 0;     // it is carried out, and the answer is lost
  double server_errors = 0;  // 500 or 503
  double throttled = 0;      // 429 of priority and fairness
  double conflicts = 0;      // 409 to a write on top of a version
  double denied = 0;         // 403 to writes of `denied_kind`
  std::string denied_kind;   // "nodes", "eviction", "consolidationruns"; empty: all
  std::string denied_name;   // only of this object; empty: all
  double stale_lists = 0;    // a new list from a cache that is behind
  double cut_watches = 0;    // a watch breaks when it says something
  double gone_watches = 0;   // … with 410
  bool stalled = false;      // watches say nothing, and stay open
  Duration slow;             // up to so much later, each way

  bool fine() const {
    return lost_before == 0 && lost_after == 0 && server_errors == 0 && throttled == 0 && conflicts == 0 &&
           denied == 0 && stale_lists == 0 && cut_watches == 0 && gone_watches == 0 && !stalled &&
           slow == Duration{};
  }
};

}  // namespace tamp::sim
