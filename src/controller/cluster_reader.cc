#include "controller/cluster_reader.h"

#include <fmt/format.h>

#include <utility>

namespace tamp::controller {
namespace {

constexpr int kPageSize = 500;
constexpr int kStarts = 3;  // of one list, when the server forgets it half-way

}  // namespace

void ClusterReader::start() {
  for (const wire::KindInfo& kind : wire::kinds()) begin(kind.id);
}

void ClusterReader::begin(wire::ObjectKind kind) {
  ++starts_[kind];
  sink_.begin(kind);
  ask(kind, "");
}

void ClusterReader::ask(wire::ObjectKind kind, std::string continue_token) {
  net::ListOptions options;
  options.limit = kPageSize;
  options.continue_token = std::move(continue_token);
  open_[kind] =
      client_.list_page(kind, options, [this, kind](net::Reply reply) { answered(kind, std::move(reply)); });
}

void ClusterReader::answered(wire::ObjectKind kind, net::Reply reply) {
  const wire::KindInfo& info = wire::info(kind);
  std::string next;
  if (reply.ok()) {
    const auto page = sink_.page(kind, std::move(reply.body));
    if (!page.ok()) return finish(Error{fmt::format("{}: {}", info.plural, page.error().message)});
    next = page->continue_token;
  } else if (reply.error->kind == net::ApiError::Kind::Gone && starts_[kind] < kStarts) {
    return begin(kind);
  } else if (reply.error->kind != net::ApiError::Kind::NotFound || !info.custom) {
    return finish(Error{fmt::format("cannot read {}: {}", info.plural, reply.error->text())});
  }
  if (!next.empty()) return ask(kind, std::move(next));
  sink_.end(kind);
  open_.erase(kind);
  if (open_.empty()) finish(success());
}

void ClusterReader::finish(Status status) {
  open_.clear();
  if (auto done = std::exchange(done_, nullptr)) done(std::move(status));
}

}  // namespace tamp::controller
