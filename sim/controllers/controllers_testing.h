// A small cluster for specifications of controllers: an API server, the controllers, and a hand that renews the nodes' leases, binds
// pods to the first node that is there, makes them ready a second later and ends them two seconds after they were asked to go.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/controllers/cron_jobs.h"
#include "sim/controllers/daemon_sets.h"
#include "sim/controllers/deployments.h"
#include "sim/controllers/disruption.h"
#include "sim/controllers/garbage.h"
#include "sim/controllers/jobs.h"
#include "sim/controllers/node_lifecycle.h"
#include "sim/controllers/pod_facts.h"
#include "sim/controllers/replica_sets.h"
#include "sim/controllers/stateful_sets.h"
#include "wire/tree.h"

namespace tamp::world::testing {

using api::ObjectPtr;
using api::ResourceId;
using api::Tree;

inline Tree tree(const std::string& json) {
  auto read = wire::read_tree(json);
  EXPECT_TRUE(read.ok()) << json;
  return read.ok() ? *std::move(read) : Tree();
}

// Everybody of this room, who all hear of everything.
struct Controllers {
  ReplicaSets replica_sets;
  Deployments deployments;
  StatefulSets stateful_sets;
  DaemonSets daemon_sets;
  Jobs jobs;
  CronJobs cron_jobs;
  Disruption disruption;
  Garbage garbage;
  NodeLifecycle node_lifecycle;

  void changed(Stage& stage, const api::Change& change) {
    replica_sets.changed(stage, change);
    deployments.changed(stage, change);
    stateful_sets.changed(stage, change);
    daemon_sets.changed(stage, change);
    jobs.changed(stage, change);
    cron_jobs.changed(stage, change);
    disruption.changed(stage, change);
    garbage.changed(stage, change);
    node_lifecycle.changed(stage, change);
  }

  void happen(Stage& stage, const Event& event) {
    switch (event.actor) {
      case Actor::ReplicaSets:
        return replica_sets.happen(stage, event);
      case Actor::Deployments:
        return deployments.happen(stage, event);
      case Actor::StatefulSets:
        return stateful_sets.happen(stage, event);
      case Actor::DaemonSets:
        return daemon_sets.happen(stage, event);
      case Actor::Jobs:
        return jobs.happen(stage, event);
      case Actor::CronJobs:
        return cron_jobs.happen(stage, event);
      case Actor::Disruption:
        return disruption.happen(stage, event);
      case Actor::Garbage:
        return garbage.happen(stage, event);
      case Actor::NodeLifecycle:
        return node_lifecycle.happen(stage, event);
      default:
        return;
    }
  }
};

class Cluster {
 public:
  explicit Cluster(std::uint64_t seed = 7) : api(seed), dice_(seed) {
    now_ = api.now();
    make(ResourceId::Namespaces, "",
         R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}})", true);
    make(ResourceId::Namespaces, "",
         R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kube-node-lease"}})", true);
    add_node("n1");
    queue_.at(now_ + Duration::seconds(10), {Actor::Kubelets, kBeat, "", "", 0});
    run(Duration::seconds(1));
  }

  void add_node(const std::string& name) {
    make(ResourceId::Nodes, "",
         R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"("},"spec":{}})");
    api.modify(ResourceId::Nodes, "", name,
               [&](Tree& node) { api::set_condition(node, "Ready", "True", "KubeletReady", "", now_); },
               {.subresource = "status"});
    beat(name);
    run(Duration::seconds(0));
  }
  // One sign of life; each node gives one every 10 s, unless it is silent.
  void beat(const std::string& name) {
    const std::string when = api::format_micro_time(now_);
    if (api.get(ResourceId::Leases, "kube-node-lease", name))
      api.modify(ResourceId::Leases, "kube-node-lease", name,
                 [&](Tree& lease) { lease.ensure("spec").set("renewTime", when); });
    else
      api.create(ResourceId::Leases, "kube-node-lease",
                 Tree::object({{"apiVersion", "coordination.k8s.io/v1"},
                               {"kind", "Lease"},
                               {"metadata", Tree::object({{"name", name}, {"namespace", "kube-node-lease"}})},
                               {"spec", Tree::object({{"holderIdentity", name},
                                                      {"leaseDurationSeconds", 40},
                                                      {"renewTime", when}})}}));
  }

  api::Outcome make(ResourceId resource, std::string_view ns, const std::string& json,
                    bool may_exist = false) {
    auto outcome = api.create(resource, ns, tree(json));
    EXPECT_TRUE(outcome.ok() || may_exist) << outcome.message() << "\n" << json;
    return outcome;
  }

  // Until then, or until a step makes `stop` true.
  template <class Stop>
  bool run_until(Duration span, Stop stop) {
    const Time end = now_ + span;
    tell();
    if (stop()) return true;
    while (queue_.next() && *queue_.next() <= end) {
      auto [when, event] = queue_.take();
      set_now(std::max(when, now_));
      perform(event);
      tell();
      if (stop()) return true;
    }
    set_now(end);
    return false;
  }
  void run(Duration span) {
    run_until(span, [] { return false; });
  }

  Time now() const { return now_; }
  std::vector<ObjectPtr> pods(std::string_view ns = "default") const {
    return api.list(ResourceId::Pods, ns);
  }
  std::int64_t active() const {
    std::int64_t count = 0;
    for (const auto& pod : pods()) count += is_active(*pod) ? 1 : 0;
    return count;
  }
  std::int64_t ready() const {
    std::int64_t count = 0;
    for (const auto& pod : pods()) count += is_active(*pod) && is_ready(*pod) ? 1 : 0;
    return count;
  }
  ObjectPtr get(ResourceId resource, std::string_view name, std::string_view ns = "default") const {
    return api.get(resource, ns, name);
  }
  void scale(ResourceId resource, std::string_view name, std::int64_t replicas) {
    api.modify(resource, "default", name,
               [&](Tree& object) { object.ensure("spec").set("replicas", replicas); });
  }
  void set_image(ResourceId resource, std::string_view name, std::string_view image) {
    api.modify(resource, "default", name, [&](Tree& object) {
      object.ensure({"spec", "template", "spec", "containers"}).elements()[0].set("image", image);
    });
  }

  api::Server api;
  Controllers controllers;
  bool kubelets_work = true;
  std::set<std::string> never_ready;  // images
  std::set<std::string> silent;       // nodes
  std::size_t steps = 0;

 private:
  enum What : std::uint8_t { kBind, kRun, kEnd, kBeat };

  void set_now(Time now) {
    now_ = now;
    api.set_now(now);
  }
  Stage stage() { return {api, queue_, dice_, story_, now_}; }
  void tell() {
    while (const api::Change* change = api.change_after(told_)) {
      told_ = change->revision;
      const api::Change copy = *change;
      Stage s = stage();
      controllers.changed(s, copy);
      hand(copy);
    }
  }
  void hand(const api::Change& change) {
    if (change.resource != ResourceId::Pods || !change.after) return;
    const api::Object& pod = *change.after;
    const auto later = [&](Duration delay, What what) {
      queue_.at(now_ + delay, {Actor::Kubelets, what, std::string(pod.ns()), std::string(pod.name()), 0});
    };
    if (!change.before && node_of(pod).empty()) later(Duration::nanoseconds(1'000'000), kBind);
    if (!node_of(pod).empty() && (!change.before || node_of(*change.before).empty()))
      later(Duration::seconds(1), kRun);
    if (pod.terminating() && (!change.before || !change.before->terminating()))
      later(Duration::seconds(2), kEnd);
  }
  void perform(const Event& event) {
    ++steps;
    if (event.actor != Actor::Kubelets) {
      Stage s = stage();
      controllers.happen(s, event);
      return;
    }
    if (event.what == kBeat) {
      for (const auto& node : api.list(ResourceId::Nodes, ""))
        if (!silent.contains(std::string(node->name()))) beat(std::string(node->name()));
      queue_.at(now_ + Duration::seconds(10), {Actor::Kubelets, kBeat, "", "", 0});
      return;
    }
    const auto pod = api.get(ResourceId::Pods, event.ns, event.name);
    if (!pod) return;
    if (event.what == kBind && node_of(*pod).empty() && !api.objects(ResourceId::Nodes).empty()) {
      // Where its affinity by name sends it (pods of a DaemonSet), or to the first node.
      std::string node(api.objects(ResourceId::Nodes).begin()->first.second);
      const Tree& terms =
          pod->spec().at({"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                          "nodeSelectorTerms"});
      if (!terms.empty())
        node = terms.elements()[0]["matchFields"].elements()[0]["values"].elements()[0].string();
      api.bind(event.ns, event.name, node);
    }
    if (!kubelets_work) return;
    if (event.what == kRun && is_active(*pod)) {
      const bool works =
          !never_ready.contains(std::string(pod->spec()["containers"].elements()[0]["image"].string()));
      api.modify(ResourceId::Pods, event.ns, event.name,
                 [&](Tree& object) {
                   object.ensure("status").set("phase", "Running");
                   if (works) api::set_condition(object, "Ready", "True", "", "", now_);
                 },
                 {.subresource = "status"});
    }
    if (event.what == kEnd && pod->terminating())
      api.remove(ResourceId::Pods, event.ns, event.name, {.grace_seconds = 0});
  }

  EventQueue queue_;
  Dice dice_;
  Story story_;
  Time now_;
  std::uint64_t told_ = 0;
};

// {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "c", "image": image}]}}
inline std::string pod_template(const std::string& app, const std::string& image = "a") {
  return R"({"metadata":{"labels":{"app":")" + app + R"("}},"spec":{"containers":[{"name":"c","image":")" +
         image + R"("}]}})";
}

inline std::string deployment(const std::string& name, int replicas, const std::string& more = "") {
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name +
         R"("},"spec":{"replicas":)" + std::to_string(replicas) + R"(,"selector":{"matchLabels":{"app":")" +
         name + R"("}},"template":)" + pod_template(name) + more + "}}";
}

inline std::string replica_set(const std::string& name, int replicas, const std::string& more = "") {
  return R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":")" + name +
         R"("},"spec":{"replicas":)" + std::to_string(replicas) + R"(,"selector":{"matchLabels":{"app":")" +
         name + R"("}},"template":)" + pod_template(name) + more + "}}";
}

}  // namespace tamp::world::testing
