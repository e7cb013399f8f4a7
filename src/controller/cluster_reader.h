// Reads a live cluster once: every kind that Tamp knows, in pages, all kinds at the same time. For commands that ask one
// question and go.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/result.h"
#include "net/client.h"
#include "wire/kinds.h"
#include "wire/watch_event.h"

namespace tamp::control {

struct PageSink {
  std::function<void(codec::ObjectKind)> begin;  // again if the server forgot where a list stood
  std::function<Result<codec::PageInfo>(codec::ObjectKind, std::string bytes)> page;
  std::function<void(codec::ObjectKind)> end;  // also for a kind that is not served: it has no objects
};

class ClusterReader {
 public:
  // `done` is called once. What cannot be read is an error: a cluster that is known in part is not known.
  ClusterReader(kube::Client& client, PageSink sink, std::function<void(Status)> done)
      : client_(client), sink_(std::move(sink)), done_(std::move(done)) {}
  ClusterReader(const ClusterReader&) = delete;
  ClusterReader& operator=(const ClusterReader&) = delete;

  void start();

 private:
  void begin(codec::ObjectKind kind);
  void ask(codec::ObjectKind kind, std::string continue_token);
  void answered(codec::ObjectKind kind, kube::Reply reply);
  void finish(Status status);

  kube::Client& client_;
  PageSink sink_;
  std::function<void(Status)> done_;
  std::map<codec::ObjectKind, kube::Pending> open_;
  std::map<codec::ObjectKind, int> starts_;
};

}  // namespace tamp::control
