// Pods that nobody else will end: on a node that is gone (after 40 s of quarantine), terminating without ever having had a node or
// on a node that is out of service, and the oldest of too many finished ones. The real collector looks every 20 s; here the same
// moments are reached without looking at all pods each time.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "sim/controllers/alarms.h"

namespace tamp::world {

class StrandedPods {
 public:
  StrandedPods(std::uint8_t node, std::uint8_t pod, std::uint8_t finished)
      : node_(node), pod_(pod), finished_what_(finished) {}
  void changed(Stage& stage, const api::Change& change);
  void look_at_node(Stage& stage, const Event& event);
  void look_at_pod(Stage& stage, const Event& event);
  void look_at_finished(Stage& stage, const Event& event);

 private:
  using Key = std::pair<std::string, std::string>;
  void index(const api::Object& pod, bool in);

  std::map<std::string, std::set<Key>, std::less<>> by_node_;
  // Evicted ones first, then by age, namespace and name.
  std::set<std::tuple<bool, std::string, std::string, std::string>> finished_;
  Alarms alarms_;
  std::uint8_t node_, pod_, finished_what_;
};

}  // namespace tamp::world
