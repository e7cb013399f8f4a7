#include "controller/webhook_certificate.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "core/json_writer.h"
#include "net/certificate.h"
#include "wire/base64.h"

namespace tamp::controller {
namespace {

using net::ApiError;

constexpr std::array kConfigurations = {
    net::ResourceType{"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", false},
    net::ResourceType{"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", false}};

// The first certificate of a bundle: the authority that signed last.
std::string first_certificate(const std::string& bundle) {
  constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
  const std::size_t end = bundle.find(kEnd);
  return end == std::string::npos ? std::string() : bundle.substr(0, end + kEnd.size()) + "\n";
}

bool fit(const wire::CertificateSecret& secret, const std::vector<std::string>& names, Time now) {
  return net::check_serving_certificate({secret.certificate, secret.private_key},
                                        first_certificate(secret.authorities), names, now)
      .ok();
}

bool due(const wire::CertificateSecret& secret, Time now) {
  const auto validity = net::certificate_validity(secret.certificate);
  return !validity.ok() || net::rotation_due(*validity, now);
}

Result<wire::CertificateSecret> make_secret(const std::vector<std::string>& names,
                                            const wire::CertificateSecret& old, Time now) {
  TAMP_TRY(const net::CertifiedKey authority, net::make_authority("tamp webhook authority", now));
  TAMP_TRY(const net::CertifiedKey serving, net::make_serving_certificate(authority, names, now));
  wire::CertificateSecret made;
  made.resource_version = old.resource_version;
  made.authorities = authority.certificate + first_certificate(old.authorities);
  made.certificate = serving.certificate;
  made.private_key = serving.private_key;
  return made;
}

}  // namespace

WebhookCertificate::WebhookCertificate(net::Loop& loop, net::Client& client, const Log& log,
                                       WebhookCertificateOptions options, std::function<bool()> may_write,
                                       std::function<void(const net::TlsIdentity&)> use)
    : loop_(loop),
      client_(client),
      log_(log),
      options_(std::move(options)),
      may_write_(std::move(may_write)),
      use_(std::move(use)) {}

void WebhookCertificate::again(Duration delay) {
  timer_ = loop_.after(delay, [this] { look(); });
}

void WebhookCertificate::look() {
  request_ = client_.get(net::kSecrets, options_.ns, options_.secret,
                         [this](net::Reply reply) { seen(std::move(reply)); });
}

void WebhookCertificate::seen(net::Reply reply) {
  const Duration soon = current_.certificate.empty() ? options_.retry_after : options_.look_every;
  if (!reply.ok() && reply.error->kind != ApiError::Kind::NotFound) {
    log_.warn("webhook certificate cannot be read", {{"error", reply.error->text()}});
    return again(soon);
  }
  wire::CertificateSecret secret;
  if (reply.ok()) {
    auto read = wire::read_certificate_secret(reply.body);
    if (!read.ok()) {
      log_.warn("webhook certificate cannot be read", {{"error", read.error().message}});
      return again(soon);
    }
    secret = std::move(*read);
  }
  const Time now = loop_.now();
  const bool usable = fit(secret, options_.names, now);
  if (usable) adopt(secret);
  if (!may_write_()) return again(soon);
  if (!usable || due(secret, now)) return make(secret);
  tell(0);
}

void WebhookCertificate::make(const wire::CertificateSecret& old) {
  auto made = make_secret(options_.names, old, loop_.now());
  if (!made.ok()) {
    log_.error("webhook certificate cannot be made", {{"error", made.error().message}});
    return again(options_.look_every);
  }
  std::string body = wire::write_certificate_secret(options_.ns, options_.secret, *made);
  const auto stored = [this](net::Reply reply) {
    if (reply.ok()) {
      log_.info("webhook certificate made", {{"secret", options_.ns + "/" + options_.secret}});
      return look();
    }
    // Another was quicker, or we no longer lead: what is there is looked at again.
    log_.debug("webhook certificate not stored", {{"error", reply.error->text()}});
    again(options_.retry_after);
  };
  if (old.resource_version.empty())
    request_ = client_.create(net::kSecrets, options_.ns, std::move(body), stored);
  else
    request_ = client_.replace(net::kSecrets, options_.ns, options_.secret, std::move(body), stored);
}

void WebhookCertificate::adopt(wire::CertificateSecret secret) {
  const bool news = secret.certificate != current_.certificate;
  current_ = std::move(secret);
  if (news) use_({current_.certificate, current_.private_key});
}

void WebhookCertificate::tell(std::size_t which) {
  if (which == kConfigurations.size()) return again(options_.look_every);
  const net::ResourceType& type = kConfigurations[which];
  request_ = client_.get(type, "", options_.configuration, [this, &type, which](net::Reply reply) {
    // Not installed: nobody asks us, and that is no mistake.
    if (!reply.ok()) {
      if (reply.error->kind != ApiError::Kind::NotFound)
        log_.warn("webhook configuration cannot be read", {{"error", reply.error->text()}});
      return tell(which + 1);
    }
    const auto configuration = wire::read_webhook_configuration(reply.body);
    if (!configuration.ok()) return tell(which + 1);
    std::vector<PatchOperation> operations;
    std::string bundle;
    append_json_string(bundle, wire::encode_base64(current_.authorities));
    for (std::size_t i = 0; i < configuration->authorities.size(); ++i)
      if (configuration->authorities[i] != current_.authorities)
        operations.push_back({"add", fmt::format("/webhooks/{}/clientConfig/caBundle", i), bundle});
    if (operations.empty()) return tell(which + 1);
    request_ = client_.patch(
        type, "", options_.configuration, "", net::PatchType::Json,
        net::make_json_patch(configuration->resource_version, operations), [this, which](net::Reply patched) {
          if (!patched.ok()) {
            log_.warn("webhook configuration not written", {{"error", patched.error->text()}});
            return again(options_.retry_after);
          }
          tell(which + 1);
        });
  });
}

}  // namespace tamp::controller
