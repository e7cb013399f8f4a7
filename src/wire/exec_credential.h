// What Tamp says to a credential plugin and what it answers (client.authentication.k8s.io, kind ExecCredential).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "core/time.h"
#include "wire/kubeconfig.h"

namespace tamp::wire {

struct ExecCredential {
  std::string token;
  std::string certificate, key;  // PEM; both or neither
  std::optional<Time> expires;
};

// Of the version that the kubeconfig named. Errors never quote the answer: it is a secret.
Result<ExecCredential> read_exec_credential(const std::string& bytes, std::string_view api_version);

// The value of KUBERNETES_EXEC_INFO. `certificate_authority` is the PEM text of the cluster's, wherever it came from.
std::string write_exec_info(const ExecPlugin& plugin, const KubeconfigCluster& cluster,
                            std::string_view certificate_authority, bool interactive);

}  // namespace tamp::wire
