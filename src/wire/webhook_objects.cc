#include "wire/webhook_objects.h"

#include "core/json_writer.h"
#include "wire/base64.h"
#include "wire/value.h"

namespace tamp::wire {
namespace {

std::string decoded_at(Value parent, std::string_view key) {
  const auto text = decode_base64(parent.get(key).string().value_or(std::string_view()));
  return text.ok() ? *text : std::string();
}

Result<std::string> version_of(Value root) {
  const auto version = root.get("metadata").get("resourceVersion").string();
  if (!version) return Error{"metadata.resourceVersion: is missing"};
  return std::string(*version);
}

}  // namespace

Result<CertificateSecret> read_certificate_secret(const std::string& bytes) {
  TAMP_TRY(const Json json, Json::parse(bytes));
  CertificateSecret secret;
  TAMP_TRY(secret.resource_version, version_of(json.root()));
  const Value data = json.root().get("data");
  secret.authorities = decoded_at(data, "ca.crt");
  secret.certificate = decoded_at(data, "tls.crt");
  secret.private_key = decoded_at(data, "tls.key");
  return secret;
}

std::string write_certificate_secret(std::string_view ns, std::string_view name,
                                     const CertificateSecret& secret) {
  JsonWriter w;
  w.begin_object();
  w.field("apiVersion", "v1").field("kind", "Secret").field("type", "kubernetes.io/tls");
  w.key("metadata").begin_object().field("namespace", ns).field("name", name);
  if (!secret.resource_version.empty()) w.field("resourceVersion", secret.resource_version);
  w.key("labels").begin_object().field("app.kubernetes.io/name", "tamp").end_object();
  w.end_object();
  w.key("data").begin_object();
  w.field("ca.crt", encode_base64(secret.authorities));
  w.field("tls.crt", encode_base64(secret.certificate));
  w.field("tls.key", encode_base64(secret.private_key));
  w.end_object().end_object();
  return w.take();
}

Result<WebhookConfiguration> read_webhook_configuration(const std::string& bytes) {
  TAMP_TRY(const Json json, Json::parse(bytes));
  WebhookConfiguration configuration;
  TAMP_TRY(configuration.resource_version, version_of(json.root()));
  for (const Value webhook : json.root().get("webhooks").elements())
    configuration.authorities.push_back(decoded_at(webhook.get("clientConfig"), "caBundle"));
  return configuration;
}

}  // namespace tamp::wire
