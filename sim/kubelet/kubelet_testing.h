// A world of kubelets and physics alone, for tests: pods are bound by hand. It is a value, as the real one.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "sim/engine/stage.h"
#include "sim/kubelet/kubelets.h"
#include "sim/kubelet/node_object.h"
#include "sim/kubelet/pressure.h"

namespace tamp::world {

class NodeWorld {
 public:
  explicit NodeWorld(std::uint64_t seed = 1, KubeletOptions options = {})
      : api(seed), dice(seed), kubelets(options), now(api.now()) {
    for (const char* ns : {"default", "kube-system", "kube-node-lease"})
      if (!api.get(api::ResourceId::Namespaces, "", ns))
        api.create(api::ResourceId::Namespaces, "",
                   wire::Tree::object({{"apiVersion", "v1"},
                                       {"kind", "Namespace"},
                                       {"metadata", wire::Tree::object({{"name", ns}})}}));
    if (!api.get(api::ResourceId::ServiceAccounts, "default", "default"))
      api.create(api::ResourceId::ServiceAccounts, "default",
                 wire::Tree::object({{"apiVersion", "v1"},
                                     {"kind", "ServiceAccount"},
                                     {"metadata", wire::Tree::object({{"name", "default"}})}}));
  }

  Stage stage() { return {api, queue, dice, story, now}; }

  // Hands out what was written, then goes on until `until`.
  void run_until(Time until) {
    settle();
    while (queue.next() && *queue.next() <= until) {
      auto [when, event] = queue.take();
      now = std::max(now, when);
      api.set_now(now);
      Stage s = stage();
      if (event.actor == Actor::Kubelets) kubelets.happen(s, event);
      if (event.actor == Actor::Pressure) pressure.happen(s, event);
      settle();
    }
    now = until;
    api.set_now(now);
  }
  void run(Duration span) { run_until(now + span); }
  void settle() {
    while (const api::Change* next = api.change_after(seen)) {
      const api::Change change = *next;
      seen = change.revision;
      Stage s = stage();
      kubelets.changed(s, change);
      pressure.changed(s, change);
    }
  }

  void add_node(NodeShape shape) {
    const auto made = api.create(api::ResourceId::Nodes, "", make_node(shape, now));
    ASSERT_TRUE(made.ok()) << made.message();
    settle();
  }
  void add_node(std::string name, std::int64_t cpu_millis = 4000) {
    NodeShape shape;
    shape.name = std::move(name);
    shape.zone = "z1";
    shape.cpu_millis = cpu_millis + shape.overhead_cpu_millis;
    add_node(shape);
  }
  // A pod of one container that is bound already. `annotations` without their prefix.
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  static wire::Tree pod(std::string_view name, std::string_view node, const Pairs& annotations = {},
                        std::string_view cpu = "100m", std::string_view cpu_limit = "") {
    wire::Tree resources = wire::Tree::object();
    if (!cpu.empty()) resources.ensure("requests").set("cpu", cpu);
    if (!cpu_limit.empty()) resources.ensure("limits").set("cpu", cpu_limit);
    wire::Tree container = wire::Tree::object(
        {{"name", "app"}, {"image", "registry/app:1"}, {"resources", std::move(resources)}});
    wire::Tree tree = wire::Tree::object({{"apiVersion", "v1"}, {"kind", "Pod"}});
    tree.set("metadata", wire::Tree::object({{"name", name}, {"namespace", "default"}}));
    for (const auto& [key, value] : annotations)
      tree.ensure({"metadata", "annotations"}).set("sim.tamp.dev/" + key, value);
    tree.set("spec", wire::Tree::object({{"nodeName", node}}));
    tree.ensure({"spec", "containers"}).append(std::move(container));
    return tree;
  }
  void add(wire::Tree tree) {
    const std::string ns(tree["metadata"]["namespace"].string());
    const auto made = api.create(api::ResourceId::Pods, ns, std::move(tree));
    ASSERT_TRUE(made.ok()) << made.message();
    settle();
  }
  void remove(std::string_view name, std::optional<std::int64_t> grace = {}) {
    const auto gone = api.remove(api::ResourceId::Pods, "default", name, {.grace_seconds = grace});
    ASSERT_TRUE(gone.ok()) << gone.message();
    settle();
  }
  // Null if it is not there.
  wire::Tree get(std::string_view name) const {
    const auto object = api.get(api::ResourceId::Pods, "default", name);
    return object ? object->tree() : wire::Tree();
  }
  wire::Tree container(std::string_view name) const {
    const wire::Tree found = get(name);
    const auto& statuses = found["status"]["containerStatuses"].elements();
    return statuses.empty() ? wire::Tree() : statuses.front();
  }
  // Goes on until it holds; nothing if it does not within the time.
  template <typename Holds>
  std::optional<Duration> until(Holds holds, Duration most = Duration::minutes(10)) {
    const Time start = now;
    while (!holds() && now - start < most) run(Duration{250'000'000});
    if (!holds()) return {};
    return now - start;
  }
  std::string told() const {
    std::string text;
    for (const StoryLine& line : story.lines()) text += to_text(line) + "\n";
    return text;
  }

  api::Server api;
  EventQueue queue;
  Dice dice;
  Story story;
  Kubelets kubelets;
  Pressure pressure;
  Time now;
  std::uint64_t seen = 0;
};

}  // namespace tamp::world
