// The two kinds of objects by which the webhook becomes trusted: the Secret that keeps its certificate, and the
// configurations that tell the API server which authority to believe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace tamp::wire {

struct CertificateSecret {
  std::string resource_version;
  // PEM. The authorities are a bundle: the one that signed the certificate first, then older ones that are still trusted.
  std::string authorities, certificate, private_key;
};
// What is missing or not base64 is empty: a Secret that makes no sense is made anew.
Result<CertificateSecret> read_certificate_secret(const std::string& bytes);
// A whole Secret of type kubernetes.io/tls, with the resourceVersion unless that is empty.
std::string write_certificate_secret(std::string_view ns, std::string_view name,
                                     const CertificateSecret& secret);

struct WebhookConfiguration {
  std::string resource_version;
  std::vector<std::string> authorities;  // PEM, of each webhook in it; empty where there is none
};
Result<WebhookConfiguration> read_webhook_configuration(const std::string& bytes);

}  // namespace tamp::wire
