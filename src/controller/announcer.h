// Says on each node, as an Event, why it stays or what is planned for it; once, and again only when the reason changes:
// numbers in the message change all the time.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "controller/metrics.h"
#include "controller/pass.h"
#include "net/event_recorder.h"
#include "net/loop.h"

namespace tamp::controller {

class Announcer {
 public:
  Announcer(net::Loop& loop, net::EventRecorder& recorder, controller::Metrics& metrics)
      : loop_(loop), recorder_(recorder), metrics_(metrics) {}
  Announcer(const Announcer&) = delete;
  Announcer& operator=(const Announcer&) = delete;

  // The remarks of a pass replace those of the last one, said or not.
  void announce(std::vector<NodeRemark> remarks);
  // Somebody else leads: nothing more is said, and the next leadership starts afresh.
  void reset();

 private:
  void pump();

  net::Loop& loop_;
  net::EventRecorder& recorder_;
  controller::Metrics& metrics_;
  std::unordered_map<std::string, std::string> said_;  // node uid -> reason; look-up only
  std::deque<NodeRemark> waiting_;
  net::Pending wake_;
};

}  // namespace tamp::controller
