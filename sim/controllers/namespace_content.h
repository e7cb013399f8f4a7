// What every namespace has (the ServiceAccount "default" and the ConfigMap "kube-root-ca.crt"), and the emptying of one that is
// being deleted: five seconds after the request all pods are deleted, when these are gone everything else, and then the
// finalizer "kubernetes" is taken away, which lets the namespace go.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/controllers/alarms.h"
#include "sim/controllers/retries.h"
#include "sim/engine/work_queue.h"

namespace tamp::world {

class NamespaceContent {
 public:
  NamespaceContent(std::uint8_t furnish, std::uint8_t empty) : furnish_(furnish), empty_(empty) {}
  void changed(Stage& stage, const api::Change& change);
  void furnish(Stage& stage, const Event& event);
  void empty(Stage& stage, const Event& event);

 private:
  struct Remains;
  void remove_all(Stage& stage, api::ResourceId resource, std::string_view qualified, std::string_view ns,
                  Remains& remains);
  void finalize(Stage& stage, std::string_view ns);

  // Objects of custom resources by namespace: the built-in ones are known by name.
  std::map<std::string, std::map<api::ResourceId, std::int64_t>, std::less<>> custom_;
  WorkQueue queue_;
  Alarms alarms_;
  Retries retries_;
  std::uint8_t furnish_, empty_;
};

}  // namespace tamp::world
