#include "net/access.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "net/exec_plugin.h"
#include "net/files.h"
#include "wire/exec_credential.h"
#include "wire/kubeconfig.h"

namespace tamp::net {
namespace {

constexpr std::size_t kLargestConfig = std::size_t{16} << 20;

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::vector<std::string> split_paths(const std::string& list) {
  std::vector<std::string> paths;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) paths.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return paths;
}

struct Sources {
  std::vector<std::string> paths;
  bool must_exist = false;
};

Sources sources_of(const AccessOptions& options) {
  if (!options.kubeconfig.empty()) return {{options.kubeconfig}, true};
  if (const std::string list = options.variable("KUBECONFIG"); !list.empty())
    return {split_paths(list), false};
  const std::string home = options.variable("HOME");
  if (home.empty()) return {};
  return {{home + "/.kube/config"}, false};
}

Result<std::vector<wire::KubeconfigFile>> read_all(const Sources& sources) {
  std::vector<wire::KubeconfigFile> files;
  for (const std::string& path : sources.paths) {
    if (!sources.must_exist && !file_exists(path)) continue;
    TAMP_TRY(std::string bytes, read_file(path, kLargestConfig));
    files.push_back({path, directory_of(path), std::move(bytes)});
  }
  return files;
}

Result<std::string> pem(const wire::PemSource& source) {
  if (!source.data.empty() || source.file.empty()) return source.data;
  return read_file(source.file, kLargestConfig);
}

Result<Access> from_choice(const wire::KubeconfigChoice& choice) {
  const auto& [context, cluster, user] = choice;
  const std::string who = fmt::format("user \"{}\"", user.name);
  Access access;
  access.server = cluster.server;
  auto authority = pem(cluster.certificate_authority);
  if (!authority)
    return std::move(authority).error().with(
        fmt::format("cluster \"{}\": certificate-authority", cluster.name));
  access.certificate_authority = std::move(authority).value();
  access.tls_server_name = cluster.tls_server_name;
  access.insecure_skip_tls_verify = cluster.insecure_skip_tls_verify;
  access.proxy_url = cluster.proxy_url;
  access.ns = context.ns.empty() ? "default" : context.ns;

  access.credentials.token = user.token;
  access.credentials.user = user.username;
  access.credentials.password = user.password;
  access.credentials.certificate = user.client_certificate.data;
  access.credentials.key = user.client_key.data;
  if (auto status = check_token(user.token); !status) return std::move(status).error().with(who + ": token");

  CredentialFiles files;
  files.token = user.token_file;
  if (user.client_certificate.data.empty()) files.certificate = user.client_certificate.file;
  if (user.client_key.data.empty()) files.key = user.client_key.file;
  const bool from_files = !files.token.empty() || !files.certificate.empty() || !files.key.empty();
  if (user.exec) {
    using Interactive = wire::ExecPlugin::Interactive;
    const bool terminal = ::isatty(STDIN_FILENO) == 1;
    if (user.exec->interactive == Interactive::Always && !terminal)
      return Error{who + ": exec.interactiveMode: is Always, and standard input is not a terminal"};
    const bool interactive = terminal && user.exec->interactive != Interactive::Never;
    access.source = credentials_from_plugin(
        *user.exec, wire::write_exec_info(*user.exec, cluster, access.certificate_authority, interactive),
        interactive);
  } else if (from_files) {
    access.source = credentials_from_files(access.credentials, files);
    // A path that leads nowhere is a mistake in the kubeconfig: said now, not at the first request.
    if (auto first = access.source({}); !first) return std::move(first).error().with(who);
  }
  return access;
}

bool in_cluster(const AccessOptions& options) {
  return !options.variable("KUBERNETES_SERVICE_HOST").empty() &&
         !options.variable("KUBERNETES_SERVICE_PORT").empty() &&
         file_exists(options.service_account_directory + "/token");
}

Result<Access> from_service_account(const AccessOptions& options) {
  const std::string host = options.variable("KUBERNETES_SERVICE_HOST");
  const std::string& directory = options.service_account_directory;
  Access access;
  const bool ipv6 = host.find(':') != std::string::npos;
  access.server = fmt::format("https://{}:{}", ipv6 ? "[" + host + "]" : host,
                              options.variable("KUBERNETES_SERVICE_PORT"));
  TAMP_TRY(access.certificate_authority, read_file(directory + "/ca.crt", kLargestConfig));
  access.source = credentials_from_files({}, {directory + "/token", "", ""});
  if (auto first = access.source({}); !first) return std::move(first).error();
  access.ns = "default";
  if (const auto ns = read_file(directory + "/namespace", kLargestConfig); ns && !ns->empty()) {
    access.ns = *ns;
    while (access.ns.ends_with('\n')) access.ns.pop_back();
  }
  access.description = "service account of the pod";
  return access;
}

std::string joined(const std::vector<wire::KubeconfigFile>& files) {
  std::string names;
  for (const auto& file : files) names += (names.empty() ? "" : ", ") + file.name;
  return names;
}

}  // namespace

std::string environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

Result<Access> find_access(const AccessOptions& given) {
  AccessOptions options = given;
  if (!options.variable) options.variable = environment_variable;
  const Sources sources = sources_of(options);
  TAMP_TRY(const std::vector<wire::KubeconfigFile> files, read_all(sources));
  TAMP_TRY(const wire::Kubeconfig config, wire::read_kubeconfig(files));
  if (config.empty() && options.kubeconfig.empty() && options.context.empty()) {
    if (in_cluster(options)) {
      auto access = from_service_account(options);
      if (!access) return std::move(access).error().with("service account");
      return access;
    }
    std::string looked;
    for (const std::string& path : sources.paths) looked += (looked.empty() ? "" : ", ") + path;
    return Error{fmt::format("no cluster is known: no kubeconfig ({}), and not in a pod",
                             looked.empty() ? "KUBECONFIG and HOME are not set" : looked)};
  }
  const std::string names = joined(files);
  auto choice = wire::choose_context(config, options.context);
  if (!choice) return std::move(choice).error().with(names.empty() ? "kubeconfig" : names);
  auto access = from_choice(*choice);
  if (!access) return std::move(access).error().with(names);
  access->description = fmt::format("context {} ({})", choice->context.name, names);
  return access;
}

}  // namespace tamp::net
