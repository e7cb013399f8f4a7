#include "agent/requests_publisher.h"

#include <utility>

#include "core/json_writer.h"
#include "net/backoff.h"
#include "wire/tier_requests.h"

namespace tamp::agent {

std::string requests_patch(const RequestsByTier& requests) {
  JsonWriter w;
  w.begin_object().key("metadata").begin_object().key("annotations").begin_object();
  w.field(wire::kRequestsAnnotation, std::string_view(wire::write_tier_requests(requests)));
  w.end_object().end_object().end_object();
  return w.take();
}

RequestsPublisher::RequestsPublisher(net::Loop& loop, net::Client& client, std::string node,
                                     std::function<void(const std::string&)> complain,
                                     PublisherOptions options)
    : loop_(loop),
      client_(client),
      node_(std::move(node)),
      complain_(std::move(complain)),
      options_(options) {}

void RequestsPublisher::set(const RequestsByTier& requests) {
  wanted_ = requests;
  consider();
}

void RequestsPublisher::consider() {
  if (writing_ || !wanted_) return;
  Duration wait;
  if (tried_) {
    const Duration since = loop_.instant() - *tried_;
    Duration pause = options_.at_most_every;
    if (published_ == wanted_)
      pause.ns = options_.again_every.ns +
                 net::random_part(Duration{options_.again_every.ns / 2}, loop_.random()).ns;
    wait.ns = pause.ns - since.ns;
  }
  if (wait.ns <= 0) return write();
  timer_ = loop_.after(wait, [this] { write(); });
}

void RequestsPublisher::write() {
  timer_.cancel();
  writing_ = true;
  tried_ = loop_.instant();
  under_way_ = client_.patch(net::kNodes, "", node_, "", net::PatchType::Merge, requests_patch(*wanted_),
                             [this, requests = *wanted_](const net::Reply& reply) { got(reply, requests); });
}

void RequestsPublisher::got(const net::Reply& reply, const RequestsByTier& requests) {
  writing_ = false;
  if (reply.ok()) {
    published_ = requests;
    ++written_;
  } else {
    // What is there now is not known.
    published_.reset();
    if (failed_++ == 0 || written_ > 0)
      complain_("the annotation of node " + node_ + ": " + reply.error->text());
  }
  consider();
}

}  // namespace tamp::agent
