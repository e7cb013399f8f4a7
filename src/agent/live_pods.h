// Who runs on this node, told while the agent runs: by the API server (the pods that are bound to the node, listed and watched) or by
// the kubelet's read-only port (its list, asked for again and again). What is known stays when neither can be reached: it is still
// measured, and a pod that came meanwhile is simply not.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "net/client.h"
#include "net/loop.h"
#include "net/reflector.h"
#include "wire/node_pod_store.h"
#include "wire/node_pods.h"

namespace tamp::agent {

using PodsChanged = std::function<void(std::vector<wire::NodePod>)>;
// For people; not the same twice in a row.
using Complaint = std::function<void(const std::string&)>;

class ApiPods {
 public:
  // `changed` is called with the first list, however long it is, and then whenever a pod is another.
  ApiPods(net::Loop& loop, net::Client& client, const std::string& node, const TierFloors& floors,
          PodsChanged changed, Complaint complain);
  ApiPods(const ApiPods&) = delete;
  ApiPods& operator=(const ApiPods&) = delete;

  void start() { reflector_.start(); }
  // When the API server was last heard; none before the first list.
  std::optional<net::Instant> heard() const;

 private:
  void tell();

  wire::NodePodStore store_;
  PodsChanged changed_;
  Complaint complain_;
  bool told_ = false;
  std::string complained_;
  net::Reflector reflector_;
};

class KubeletPods {
 public:
  // `path` is "/pods" on the server of `client`. Pods of no node are this one's: static pods that no API server knows yet.
  KubeletPods(net::Loop& loop, net::Client& client, std::string path, const TierFloors& floors,
              PodsChanged changed, Complaint complain, Duration every = Duration::seconds(10));
  KubeletPods(const KubeletPods&) = delete;
  KubeletPods& operator=(const KubeletPods&) = delete;

  void start() { ask(); }
  std::optional<net::Instant> heard() const { return heard_; }

 private:
  void ask();
  void got(const net::Reply& reply);

  net::Loop& loop_;
  net::Client& client_;
  std::string path_;
  TierFloors floors_;
  PodsChanged changed_;
  Complaint complain_;
  Duration every_;
  std::optional<std::vector<wire::NodePod>> pods_;
  std::optional<net::Instant> heard_;
  std::string complained_;
  net::Pending under_way_;
};

}  // namespace tamp::agent
