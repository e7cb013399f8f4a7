// The watches: one reflector for every kind that Tamp reads, all feeding one store.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/client.h"
#include "net/reflector.h"
#include "store/store.h"

namespace tamp::controller {

class Informers {
 public:
  Informers(net::Loop& loop, net::Client& client, store::ClusterStore& store);
  Informers(const Informers&) = delete;
  Informers& operator=(const Informers&) = delete;

  void start();
  void stop();

  // Every kind was read whole at least once (or is not served).
  bool synced() const;
  // What keeps the store from being trusted, in words; empty when it may be. A watch that breaks is not a problem at once:
  // servers end watches all the time. It is one when it could not be resumed for as long as `patience`.
  std::string problem(net::Instant now, Duration patience) const;

  std::size_t size() const { return watches_.size(); }
  const net::Reflector& reflector(std::size_t i) const { return *watches_[i].reflector; }

 private:
  struct Watch {
    std::unique_ptr<net::Reflector> reflector;
    std::optional<net::Instant> broken_since;
  };
  void add(const wire::KindInfo& kind);
  void heard(std::size_t watch);

  net::Loop& loop_;
  net::Client& client_;
  store::ClusterStore& store_;
  std::vector<Watch> watches_;  // in the order of ObjectKind
};

}  // namespace tamp::controller
