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

namespace tamp::controller {

struct PageSink {
  std::function<void(wire::ObjectKind)> begin;  // again if the server forgot where a list stood
  std::function<Result<wire::PageInfo>(wire::ObjectKind, std::string bytes)> page;
  std::function<void(wire::ObjectKind)> end;  // also for a kind that is not served: it has no objects
};

class ClusterReader {
 public:
  // `done` is called once. What cannot be read is an error: a cluster that is known in part is not known.
  ClusterReader(net::Client& client, PageSink sink, std::function<void(Status)> done)
      : client_(client), sink_(std::move(sink)), done_(std::move(done)) {}
  ClusterReader(const ClusterReader&) = delete;
  ClusterReader& operator=(const ClusterReader&) = delete;

  void start();

 private:
  void begin(wire::ObjectKind kind);
  void ask(wire::ObjectKind kind, std::string continue_token);
  void answered(wire::ObjectKind kind, net::Reply reply);
  void finish(Status status);

  net::Client& client_;
  PageSink sink_;
  std::function<void(Status)> done_;
  std::map<wire::ObjectKind, net::Pending> open_;
  std::map<wire::ObjectKind, int> starts_;
};

}  // namespace tamp::controller
