// A kubeconfig: which clusters there are, as whom to speak to them, and which of them is meant. Bytes to plain data; files
// that it names are read elsewhere (net/access.h).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace tamp::wire {

// A certificate or key: its PEM text, or the path of a file that has it. Data wins, as in kubectl.
struct PemSource {
  std::string data;
  std::string file;
  bool given() const { return !data.empty() || !file.empty(); }
};

// A program that prints credentials (client.authentication.k8s.io).
struct ExecPlugin {
  enum class Interactive { Never, IfAvailable, Always };

  std::string api_version;
  std::string command;
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  std::string install_hint;
  bool provide_cluster_info = false;
  Interactive interactive = Interactive::IfAvailable;
};

struct KubeconfigCluster {
  std::string name;
  std::string server;  // "https://10.0.0.1:6443", perhaps with a path; no slash at its end
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  PemSource certificate_authority;
  std::string proxy_url;
  std::string exec_config;  // JSON text that is meant for the exec plugin; empty if there is none
};

struct KubeconfigUser {
  std::string name;
  PemSource client_certificate, client_key;
  std::string token, token_file;
  std::string username, password;
  std::optional<ExecPlugin> exec;
};

struct KubeconfigContext {
  std::string name, cluster, user;
  std::string ns;  // empty: not said
};

struct Kubeconfig {
  std::vector<KubeconfigCluster> clusters;
  std::vector<KubeconfigUser> users;
  std::vector<KubeconfigContext> contexts;
  std::string current_context;

  bool empty() const {
    return clusters.empty() && users.empty() && contexts.empty() && current_context.empty();
  }
};

// A file that was read elsewhere. Paths in it are relative to `directory`.
struct KubeconfigFile {
  std::string name;
  std::string directory;
  std::string bytes;
};

// Merges as kubectl does: of two entries with one name, the one of the earlier file counts, whole. Errors name the file,
// the object and the field, and never quote a secret.
Result<Kubeconfig> read_kubeconfig(std::span<const KubeconfigFile> files);

struct KubeconfigChoice {
  KubeconfigContext context;
  KubeconfigCluster cluster;
  KubeconfigUser user;  // without a name if the context has no user: anonymous
};

// What `context` means; the current one if empty.
Result<KubeconfigChoice> choose_context(const Kubeconfig& config, std::string_view context);

}  // namespace tamp::wire
