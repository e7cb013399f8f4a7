#include "wire/kubeconfig.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/json_writer.h"
#include "wire/base64.h"
#include "wire/decoder.h"
#include "wire/documents.h"

namespace tamp::wire {
namespace {

// The extension of a cluster whose content an exec plugin is given.
constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";

void append_json(std::string& out, Value value) {
  switch (value.kind()) {
    case Value::Kind::Absent:
    case Value::Kind::Null:
      out += "null";
      return;
    case Value::Kind::Boolean:
      out += *value.boolean() ? "true" : "false";
      return;
    case Value::Kind::Integer:
    case Value::Kind::Unsigned:
    case Value::Kind::Double:
      out += value.number_text();
      return;
    case Value::Kind::String:
      append_json_string(out, *value.string());
      return;
    case Value::Kind::Array: {
      char before = '[';
      for (const Value element : value.elements()) {
        out += std::exchange(before, ',');
        append_json(out, element);
      }
      if (before == '[') out += before;
      out += ']';
      return;
    }
    case Value::Kind::Object: {
      char before = '{';
      for (const Field field : value.fields()) {
        out += std::exchange(before, ',');
        append_json_string(out, field.key);
        out += ':';
        append_json(out, field.value);
      }
      if (before == '{') out += before;
      out += '}';
      return;
    }
  }
}

// The entries of one file, before they are merged.
class FileReader {
 public:
  FileReader(const KubeconfigFile& file, Kubeconfig& into) : file_(file), into_(into) {}

  Status read() {
    if (file_.bytes.find_first_not_of(" \t\r\n") == std::string::npos) return success();  // as kubectl has it
    TAMP_TRY(const std::vector<Json> documents, parse_documents(file_.bytes));
    if (documents.size() > 1) return Error{"holds more than one document"};
    const Value root = documents.front().root();
    if (!root.is_object()) return Error{"must be an object"};
    Cluster scratch;
    Decoder d(scratch, root);
    const std::string_view kind = d.text(root, "kind"), version = d.text(root, "apiVersion");
    if (!kind.empty() && kind != "Config")
      d.fail(root.get("kind"), fmt::format("is \"{}\", must be \"Config\"", kind));
    if (!version.empty() && version != "v1")
      d.fail(root.get("apiVersion"), fmt::format("is \"{}\", must be \"v1\"", version));
    if (into_.current_context.empty()) into_.current_context = d.text(root, "current-context");
    if (d.failed()) return d.error();
    TAMP_CHECK(entries(d, "clusters", "cluster", into_.clusters, &FileReader::cluster));
    TAMP_CHECK(entries(d, "users", "user", into_.users, &FileReader::user));
    return entries(d, "contexts", "context", into_.contexts, &FileReader::context);
  }

 private:
  // One of the three lists: each entry has a name and, under `key`, what it stands for.
  template <typename T>
  Status entries(Decoder& root, std::string_view list, std::string_view key, std::vector<T>& into,
                 T (FileReader::*decode)(Decoder&, Value)) {
    const Value::Elements elements = root.objects(root.root(), list);
    if (root.failed()) return root.error();
    std::vector<T> found;
    for (const Value element : elements) {
      Cluster scratch;
      Decoder d(scratch, element);
      const std::string name(d.text(element, "name"));
      if (name.empty()) d.fail(element, "is missing", "name");
      T entry = (this->*decode)(d, d.object(element, key));
      entry.name = name;
      if (d.failed()) return d.error().with(fmt::format("{} \"{}\"", key, name));
      const auto same = [&](const T& other) { return other.name == entry.name; };
      if (std::any_of(found.begin(), found.end(), same))
        return Error{fmt::format("{} \"{}\": is there twice", key, name)};
      found.push_back(std::move(entry));
    }
    for (T& entry : found) {
      const auto same = [&](const T& other) { return other.name == entry.name; };
      if (std::none_of(into.begin(), into.end(), same)) into.push_back(std::move(entry));
    }
    return success();
  }

  std::string path(std::string_view text) const {
    if (text.empty() || text.front() == '/' || file_.directory.empty()) return std::string(text);
    return file_.directory + (file_.directory.ends_with('/') ? "" : "/") + std::string(text);
  }

  PemSource pem(Decoder& d, Value parent, std::string_view key) {
    PemSource source;
    source.file = path(d.text(parent, key));
    const std::string data_key = std::string(key) + "-data";
    const std::string_view encoded = d.text(parent, data_key);
    auto bytes = decode_base64(encoded);
    if (!bytes)
      d.fail(parent.get(data_key), bytes.error().message);
    else
      source.data = std::move(bytes).value();
    return source;
  }

  KubeconfigCluster cluster(Decoder& d, Value at) {
    KubeconfigCluster cluster;
    cluster.server = d.text(at, "server");
    while (cluster.server.ends_with('/')) cluster.server.pop_back();
    if (!cluster.server.empty() && !cluster.server.starts_with("https://") &&
        !cluster.server.starts_with("http://"))
      d.fail(at.get("server"), "must start with https:// or http://");
    cluster.tls_server_name = d.text(at, "tls-server-name");
    cluster.insecure_skip_tls_verify = d.flag(at, "insecure-skip-tls-verify");
    cluster.certificate_authority = pem(d, at, "certificate-authority");
    if (cluster.insecure_skip_tls_verify && cluster.certificate_authority.given())
      d.fail(at.get("insecure-skip-tls-verify"), "must not be set together with a certificate authority");
    cluster.proxy_url = d.text(at, "proxy-url");
    for (const Value extension : d.objects(at, "extensions"))
      if (extension.get("name").string() == kExecExtension) {
        cluster.exec_config.clear();
        append_json(cluster.exec_config, extension.get("extension"));
      }
    return cluster;
  }

  KubeconfigUser user(Decoder& d, Value at) {
    KubeconfigUser user;
    if (at.get("auth-provider").present())
      d.fail(at.get("auth-provider"),
             "is not supported, as in kubectl since 1.26: use an exec plugin, which most providers have "
             "(gke-gcloud-auth-plugin, kubelogin)");
    // To leave these out silently would act as somebody else than was asked for.
    for (const std::string_view key : {"as", "as-uid", "as-groups", "as-user-extra"})
      if (at.get(key).present()) d.fail(at.get(key), "impersonation is not supported");
    user.client_certificate = pem(d, at, "client-certificate");
    user.client_key = pem(d, at, "client-key");
    if (user.client_certificate.given() && !user.client_key.given())
      d.fail(at, "is missing beside client-certificate", "client-key");
    if (user.client_key.given() && !user.client_certificate.given())
      d.fail(at, "is missing beside client-key", "client-certificate");
    user.token = d.text(at, "token");
    user.token_file = path(d.text(at, "tokenFile"));
    user.username = d.text(at, "username");
    user.password = d.text(at, "password");
    const bool token = !user.token.empty() || !user.token_file.empty();
    if (token && !user.username.empty())
      d.fail(at.get("username"), "must not be set together with a token: which of the two is meant?");
    if (const Value exec = d.object(at, "exec"); exec.is_object()) {
      user.exec = plugin(d, exec);
      if (token || !user.username.empty())
        d.fail(exec, "must not be set together with a token or a user name: which of them is meant?");
    }
    return user;
  }

  ExecPlugin plugin(Decoder& d, Value at) {
    using Interactive = ExecPlugin::Interactive;
    constexpr Words<Interactive> kInteractive[] = {{"Never", Interactive::Never},
                                                   {"IfAvailable", Interactive::IfAvailable},
                                                   {"Always", Interactive::Always}};
    ExecPlugin plugin;
    plugin.api_version = d.text(at, "apiVersion");
    if (plugin.api_version != "client.authentication.k8s.io/v1" &&
        plugin.api_version != "client.authentication.k8s.io/v1beta1")
      d.fail(at, "must be client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1",
             "apiVersion");
    plugin.command = d.text(at, "command");
    if (plugin.command.empty()) d.fail(at, "is missing", "command");
    // A bare name is looked for in PATH; "./plugin" is beside the file.
    if (plugin.command.find('/') != std::string::npos) plugin.command = path(plugin.command);
    for (const Value argument : d.list(at, "args")) {
      if (!argument.string()) d.fail(argument, "must be a string");
      plugin.arguments.emplace_back(argument.string().value_or(""));
    }
    for (const Value variable : d.objects(at, "env")) {
      const std::string_view name = d.text(variable, "name");
      if (name.empty() || name.find('=') != std::string_view::npos)
        d.fail(variable, "must be the name of a variable", "name");
      plugin.environment.emplace_back(name, d.text(variable, "value"));
    }
    for (const std::string& text : plugin.arguments)
      if (text.find('\0') != std::string::npos) d.fail(at.get("args"), "must not hold a zero byte");
    plugin.install_hint = d.text(at, "installHint");
    plugin.provide_cluster_info = d.flag(at, "provideClusterInfo");
    plugin.interactive = d.word<Interactive>(at, "interactiveMode", kInteractive, Interactive::IfAvailable);
    return plugin;
  }

  KubeconfigContext context(Decoder& d, Value at) {
    KubeconfigContext context;
    context.cluster = d.text(at, "cluster");
    context.user = d.text(at, "user");
    context.ns = d.text(at, "namespace");
    return context;
  }

  const KubeconfigFile& file_;
  Kubeconfig& into_;
};

template <typename T>
const T* find(const std::vector<T>& entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const T& e) { return e.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

Result<Kubeconfig> read_kubeconfig(std::span<const KubeconfigFile> files) {
  Kubeconfig config;
  for (const KubeconfigFile& file : files)
    if (auto status = FileReader(file, config).read(); !status)
      return std::move(status).error().with(file.name);
  return config;
}

Result<KubeconfigChoice> choose_context(const Kubeconfig& config, std::string_view wanted) {
  const std::string_view name = wanted.empty() ? std::string_view(config.current_context) : wanted;
  if (name.empty()) return Error{"no context is chosen: set current-context, or name one"};
  const KubeconfigContext* context = find(config.contexts, name);
  if (context == nullptr) {
    std::string known;
    for (const KubeconfigContext& other : config.contexts)
      known += (known.empty() ? "; there are " : ", ") + other.name;
    return Error{fmt::format("context \"{}\": is not there{}", name, known)};
  }
  KubeconfigChoice choice;
  choice.context = *context;
  if (context->cluster.empty()) return Error{fmt::format("context \"{}\": cluster: is missing", name)};
  const KubeconfigCluster* cluster = find(config.clusters, context->cluster);
  if (cluster == nullptr)
    return Error{fmt::format("context \"{}\": cluster: \"{}\" is not there", name, context->cluster)};
  if (cluster->server.empty()) return Error{fmt::format("cluster \"{}\": server: is missing", cluster->name)};
  choice.cluster = *cluster;
  if (!context->user.empty()) {
    const KubeconfigUser* user = find(config.users, context->user);
    if (user == nullptr)
      return Error{fmt::format("context \"{}\": user: \"{}\" is not there", name, context->user)};
    choice.user = *user;
  }
  return choice;
}

}  // namespace tamp::wire
