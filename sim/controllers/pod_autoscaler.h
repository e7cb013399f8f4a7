// HorizontalPodAutoscalers in the simple form: cpu utilization (or an average value) of the pods of a Deployment, ReplicaSet or
// StatefulSet. Looks every 15 s; within a tenth of the target nothing is done; up at once, at most twofold or four pods in 15 s;
// down after five minutes' highest recommendation, unless spec.behavior says otherwise.
//
// Usage is not the API server's business: whoever simulates it tells `measured`, as metrics-server would know it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/engine/work_queue.h"

namespace tamp::world {

class PodAutoscaler {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

  // The cpu that a pod used lately, in thousandths of a core. Forgotten when the pod is gone.
  void measured(std::string_view ns, std::string_view pod, std::int64_t millicores) {
    usage_[{std::string(ns), std::string(pod)}] = millicores;
  }

 private:
  using Key = std::pair<std::string, std::string>;
  struct Recommendation {
    Time at;
    std::int64_t replicas;
  };
  struct Scaling {
    Time at;
    std::int64_t by;
  };
  struct Memory {
    std::vector<Recommendation> recommendations;
    std::vector<Scaling> ups, downs;
  };
  struct Proposal {
    std::int64_t replicas = 0;
    std::int64_t utilization = 0;  // percent of the requests
    std::int64_t average = 0;      // millicores
    std::string problem = {};      // why there is none
  };

  void look_at(Stage& stage, const api::Object& scaler);
  Proposal propose(const Stage& stage, const api::Object& scaler, const api::Object& target,
                   std::int64_t current) const;
  std::int64_t steady(const Stage& stage, const api::Object& scaler, std::int64_t current,
                      std::int64_t wanted, Memory& memory);

  std::map<Key, std::int64_t> usage_;  // by pod
  std::map<Key, Memory> memories_;     // by autoscaler
  bool ticking_ = false;
};

}  // namespace tamp::world
