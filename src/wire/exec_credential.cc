#include "wire/exec_credential.h"

#include <fmt/format.h>

#include "core/json_writer.h"
#include "wire/base64.h"
#include "wire/decoder.h"

namespace tamp::wire {

Result<ExecCredential> read_exec_credential(const std::string& bytes, std::string_view api_version) {
  TAMP_TRY(const Json json, Json::parse(bytes));
  const Value root = json.root();
  if (!root.is_object()) return Error{"must be an object of kind ExecCredential"};
  Cluster scratch;
  Decoder d(scratch, root);
  if (d.text(root, "kind") != "ExecCredential") d.fail(root, "must be ExecCredential", "kind");
  if (d.text(root, "apiVersion") != api_version)
    d.fail(root, fmt::format("must be {}, as the kubeconfig says", api_version), "apiVersion");
  const Value status = d.object(root, "status");
  if (!status.present()) d.fail(root, "is missing", "status");
  ExecCredential credential;
  credential.token = d.text(status, "token");
  credential.certificate = d.text(status, "clientCertificateData");
  credential.key = d.text(status, "clientKeyData");
  const std::string_view expires = d.text(status, "expirationTimestamp");
  if (!expires.empty()) {
    if (const auto time = parse_rfc3339(expires))
      credential.expires = *time;
    else
      d.fail(status.get("expirationTimestamp"), "must be a time as 2026-11-15T00:00:00Z");
  }
  if (credential.certificate.empty() != credential.key.empty())
    d.fail(status, "clientCertificateData and clientKeyData must be given together");
  if (credential.token.empty() && credential.certificate.empty())
    d.fail(status, "holds neither a token nor a client certificate");
  if (d.failed()) return d.error();
  return credential;
}

std::string write_exec_info(const ExecPlugin& plugin, const KubeconfigCluster& cluster,
                            std::string_view certificate_authority, bool interactive) {
  JsonWriter json;
  json.begin_object().field("kind", "ExecCredential").field("apiVersion", plugin.api_version);
  json.key("spec").begin_object().field("interactive", interactive);
  if (plugin.provide_cluster_info) {
    json.key("cluster").begin_object().field("server", cluster.server);
    if (!cluster.tls_server_name.empty()) json.field("tls-server-name", cluster.tls_server_name);
    if (cluster.insecure_skip_tls_verify) json.field("insecure-skip-tls-verify", true);
    if (!certificate_authority.empty())
      json.field("certificate-authority-data", encode_base64(certificate_authority));
    if (!cluster.proxy_url.empty()) json.field("proxy-url", cluster.proxy_url);
    if (!cluster.exec_config.empty()) json.key("config").raw(cluster.exec_config);
    json.end_object();
  }
  return json.end_object().end_object().take();
}

}  // namespace tamp::wire
