#include "sim/api/expiry.h"

namespace tamp::world::api {
namespace {

constexpr Duration kEventLife = Duration::hours(1);

}  // namespace

void expire_event(Backend& backend, const ObjectPtr& event) {
  backend.expiries.push_back({backend.now + kEventLife,
                              {std::string(event->ns()), std::string(event->name())},
                              std::string(event->metadata()["resourceVersion"].string())});
}

void drop_expired_events(Backend& backend) {
  while (!backend.expiries.empty() && backend.expiries.front().when <= backend.now) {
    const Expiry expiry = std::move(backend.expiries.front());
    backend.expiries.pop_front();
    const ObjectPtr event = backend.store.get(ResourceId::Events, expiry.key.first, expiry.key.second);
    if (event && event->metadata()["resourceVersion"].string() == expiry.version)
      backend.store.erase(ResourceId::Events, expiry.key.first, expiry.key.second);
  }
}

}  // namespace tamp::world::api
