// Keeps the webhook trusted. The certificate lives in a Secret that all replicas read; the leader makes it, renews it when
// two thirds of its life are over, and writes the authority into the webhook configurations. The authority's own key is
// thrown away after signing: a new certificate has a new authority, and the old one stays in the bundle beside it until
// the next renewal, so that replicas may change over at their own pace.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "controller/log.h"
#include "net/client.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "wire/webhook_objects.h"

namespace tamp::controller {

struct WebhookCertificateOptions {
  std::string ns = "tamp-system";
  std::string secret = "tamp-webhook-certificate";
  std::string configuration = "tamp";  // of both kinds
  std::vector<std::string> names;      // DNS names and addresses under which the API server calls
  Duration look_every = Duration::minutes(1);
  Duration retry_after = Duration::seconds(3);  // until there is one
};

class WebhookCertificate {
 public:
  // `may_write`: are we the leader? `use` gets every identity that is new, the first time as soon as there is one.
  WebhookCertificate(net::Loop& loop, net::Client& client, const Log& log, WebhookCertificateOptions options,
                     std::function<bool()> may_write, std::function<void(const net::TlsIdentity&)> use);
  WebhookCertificate(const WebhookCertificate&) = delete;
  WebhookCertificate& operator=(const WebhookCertificate&) = delete;

  void start() { look(); }

 private:
  void look();
  void seen(net::Reply reply);
  void make(const wire::CertificateSecret& old);
  void adopt(wire::CertificateSecret secret);
  // One configuration after the other: validating, mutating.
  void tell(std::size_t which);
  void again(Duration delay);

  net::Loop& loop_;
  net::Client& client_;
  const Log& log_;
  WebhookCertificateOptions options_;
  std::function<bool()> may_write_;
  std::function<void(const net::TlsIdentity&)> use_;
  wire::CertificateSecret current_;  // in use
  net::Pending request_, timer_;
};

}  // namespace tamp::controller
