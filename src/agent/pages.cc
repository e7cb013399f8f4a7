#include "agent/pages.h"

#include <utility>

namespace tamp::agent {

void Pages::tick() {
  const std::lock_guard lock(mutex_);
  agent_.tick(now_().monotonic);
  snapshot_.reset();
  document_.reset();
}

void Pages::follow(std::vector<wire::NodePod> pods) {
  const std::lock_guard lock(mutex_);
  agent_.follow(std::move(pods));
  pods_known_ = true;
  snapshot_.reset();
  document_.reset();
}

void Pages::await_pods() {
  const std::lock_guard lock(mutex_);
  pods_known_ = false;
}

RequestsByTier Pages::requests() {
  const std::lock_guard lock(mutex_);
  return requests_of(snapshot().observation);
}

const Snapshot& Pages::snapshot() {
  if (!snapshot_) snapshot_ = agent_.snapshot(now_());
  return *snapshot_;
}

Page Pages::answer(std::string_view method, std::string_view path, const ServiceFigures& figures) {
  if (path != "/observe" && path != "/metrics" && path != "/healthz" && path != "/readyz")
    return {.status = 404, .body = "not found\n"};
  if (method != "GET") return {.status = 405, .body = "only GET\n"};
  if (path == "/healthz") return {.body = "ok\n"};
  const std::lock_guard lock(mutex_);
  if (path == "/metrics")
    return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = write_metrics(snapshot(), figures)};
  if (!pods_known_) return {.status = 503, .body = "who runs here is not known yet\n"};
  if (path == "/readyz") return {.body = "ok\n"};
  if (!document_) document_ = write_observation(snapshot(), JsonWriter::Style::Compact);
  if (document_->size() > kLargestDocument) return {.status = 500, .body = "the document is too large\n"};
  return {.type = "application/json", .body = *document_};
}

}  // namespace tamp::agent
