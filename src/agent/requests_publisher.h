// Writes the annotation temper.codes/requests on the agent's own node, and nothing else: when what it says has changed, not more
// often than every few seconds, and once in a long while in case somebody has removed it. Reads nothing.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/tier_requests.h"
#include "core/time.h"
#include "net/client.h"
#include "net/loop.h"

namespace tamp::agent {

struct PublisherOptions {
  Duration at_most_every = Duration::seconds(10);
  Duration again_every =
      Duration::minutes(30);  // and up to half of it more, so that a fleet does not write at once
};

class RequestsPublisher {
 public:
  RequestsPublisher(net::Loop& loop, net::Client& client, std::string node,
                    std::function<void(const std::string&)> complain, PublisherOptions options = {});
  RequestsPublisher(const RequestsPublisher&) = delete;
  RequestsPublisher& operator=(const RequestsPublisher&) = delete;

  // What is true now.
  void set(const RequestsByTier& requests);

  std::uint64_t written() const { return written_; }
  std::uint64_t failed() const { return failed_; }

 private:
  void consider();
  void write();
  void got(const net::Reply& reply, const RequestsByTier& requests);

  net::Loop& loop_;
  net::Client& client_;
  std::string node_;
  std::function<void(const std::string&)> complain_;
  PublisherOptions options_;
  std::optional<RequestsByTier> wanted_, published_;
  std::optional<net::Instant> tried_;
  bool writing_ = false;
  std::uint64_t written_ = 0, failed_ = 0;
  net::Pending under_way_, timer_;
};

// {"metadata":{"annotations":{"temper.codes/requests":"…"}}}
std::string requests_patch(const RequestsByTier& requests);

}  // namespace tamp::agent
