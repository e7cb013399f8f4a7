// Which API server, and as whom: from a kubeconfig, or from the service account of the pod that we run in.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/result.h"
#include "net/credentials.h"

namespace tamp::net {

struct Access {
  std::string server;                 // "https://10.0.0.1:6443", perhaps with a path; no slash at its end
  std::string certificate_authority;  // PEM; empty: those that the system trusts
  std::string tls_server_name;        // empty: the host in `server`
  bool insecure_skip_tls_verify = false;
  std::string proxy_url;  // empty: as HTTPS_PROXY and NO_PROXY say
  Credentials credentials;
  CredentialSource
      source;      // where fresh credentials come from; empty if there are no others than `credentials`
  std::string ns;  // the namespace that is meant where none is named
  std::string description;  // for people, without secrets: "context prod (~/.kube/config)", "service account"
};

struct AccessOptions {
  std::string kubeconfig;  // a path; empty: KUBECONFIG, which may list several, or ~/.kube/config
  std::string context;     // empty: the current one
  // Looks up a variable of the environment; empty if it is not set.
  std::function<std::string(const std::string& name)> variable;
  std::string service_account_directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// The process's own environment.
std::string environment_variable(const std::string& name);

// A kubeconfig counts before the service account, as with kubectl: the account is used if no kubeconfig says anything
// and no context was asked for. Reads files; runs nothing.
Result<Access> find_access(const AccessOptions& options);

}  // namespace tamp::net
