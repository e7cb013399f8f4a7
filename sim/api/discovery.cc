#include "sim/api/discovery.h"

#include <algorithm>
#include <utility>

#include "sim/api/openapi.h"

namespace tamp::world::api {
namespace {

constexpr std::string_view kAggregated = "APIGroupDiscoveryList";

Tree strings(const std::vector<std::string>& list) {
  Tree out = Tree::array();
  for (const std::string& text : list) out.append(text);
  return out;
}

Answer json(const Tree& tree) {
  Answer answer;
  answer.body = wire::to_json(tree);
  return answer;
}

Answer text(std::string body) {
  Answer answer;
  answer.content_type = "text/plain; charset=utf-8";
  answer.body = std::move(body);
  return answer;
}

// A group with its versions, the preferred one first, each with its resources.
struct Version {
  std::string name;
  std::vector<const Resource*> resources;
};
struct Group {
  std::string name;
  std::vector<Version> versions;
};

// Kubernetes prefers stable versions, then beta, then alpha, of each the newest.
struct Rank {
  int stability = 0;
  std::int64_t major = 0, minor = 0;
  auto operator<=>(const Rank&) const = default;
};
Rank rank(std::string_view version) {
  Rank out;
  if (!version.starts_with('v')) return out;
  std::size_t at = 1;
  const auto number = [&] {
    std::int64_t value = 0;
    while (at < version.size() && version[at] >= '0' && version[at] <= '9')
      value = value * 10 + (version[at++] - '0');
    return value;
  };
  out.major = number();
  const std::string_view rest = version.substr(at);
  if (at == 1) return {};
  if (rest.empty()) {
    out.stability = 3;
  } else if (rest.starts_with("beta")) {
    out.stability = 2;
    at += 4;
    out.minor = number();
  } else if (rest.starts_with("alpha")) {
    out.stability = 1;
    at += 5;
    out.minor = number();
  }
  return out;
}

void add(std::vector<Group>& groups, const Resource& resource) {
  auto group =
      std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.name == resource.group; });
  if (group == groups.end()) group = groups.insert(groups.end(), Group{resource.group, {}});
  auto& versions = group->versions;
  auto version = std::find_if(versions.begin(), versions.end(),
                              [&](const Version& v) { return v.name == resource.version; });
  if (version == versions.end()) version = versions.insert(versions.end(), Version{resource.version, {}});
  version->resources.push_back(&resource);
}

// Built-in groups in the order of the registry, then custom ones by name.
std::vector<Group> groups_of(const Registry& registry) {
  std::vector<Group> groups;
  for (const Resource& resource : Registry::built_in()) add(groups, resource);
  const auto built_in = static_cast<std::ptrdiff_t>(groups.size());
  for (const Resource& resource : registry.custom()) add(groups, resource);
  std::sort(groups.begin() + built_in, groups.end(),
            [](const Group& a, const Group& b) { return a.name < b.name; });
  for (Group& group : groups) {
    std::stable_sort(group.versions.begin(), group.versions.end(),
                     [](const Version& a, const Version& b) { return rank(a.name) > rank(b.name); });
    for (Version& version : group.versions)
      std::sort(version.resources.begin(), version.resources.end(),
                [](const Resource* a, const Resource* b) { return a->plural < b->plural; });
  }
  return groups;
}

Tree group_version(const std::string& group, const std::string& version) {
  return Tree::object({{"groupVersion", group + "/" + version}, {"version", version}});
}

Tree group_document(const Group& group) {
  Tree versions = Tree::array();
  for (const Version& version : group.versions) versions.append(group_version(group.name, version.name));
  return Tree::object({{"name", group.name},
                       {"preferredVersion", group_version(group.name, group.versions.front().name)},
                       {"versions", std::move(versions)}});
}

void append_resource(Tree& list, const Resource& resource) {
  Tree entry = Tree::object({{"name", resource.plural},
                             {"singularName", resource.singular},
                             {"namespaced", resource.namespaced},
                             {"kind", resource.kind},
                             {"verbs", strings(resource.verbs)}});
  if (!resource.short_names.empty()) entry.set("shortNames", strings(resource.short_names));
  if (!resource.categories.empty()) entry.set("categories", strings(resource.categories));
  list.append(std::move(entry));
  for (const Subresource& sub : resource.subresources) {
    Tree part = Tree::object({{"name", resource.plural + "/" + sub.name},
                              {"singularName", ""},
                              {"namespaced", resource.namespaced},
                              {"kind", sub.kind},
                              {"verbs", strings(sub.verbs)}});
    if (sub.group != resource.group || sub.version != resource.version) {
      if (!sub.group.empty()) part.set("group", sub.group);
      part.set("version", sub.version);
    }
    list.append(std::move(part));
  }
}

Tree resource_list(const Group& group, const Version& version) {
  Tree resources = Tree::array();
  for (const Resource* resource : version.resources) append_resource(resources, *resource);
  Tree list =
      Tree::object({{"kind", "APIResourceList"},
                    {"groupVersion", group.name.empty() ? version.name : group.name + "/" + version.name},
                    {"resources", std::move(resources)}});
  // The core group's list is as old as Kubernetes and says nothing of its version.
  if (!group.name.empty()) list.set("apiVersion", "v1");
  return list;
}

Tree response_kind(const Resource& resource, const std::string& group, const std::string& version,
                   const std::string& kind) {
  const bool own = group == resource.group && version == resource.version;
  return Tree::object({{"group", own ? "" : group}, {"version", own ? "" : version}, {"kind", kind}});
}

// The form that holds everything at once (apidiscovery.k8s.io/v2): of the core group, or of all others.
Tree aggregated(const std::vector<Group>& groups, bool core) {
  Tree items = Tree::array();
  for (const Group& group : groups) {
    if (group.name.empty() != core) continue;
    Tree versions = Tree::array();
    for (const Version& version : group.versions) {
      Tree resources = Tree::array();
      for (const Resource* resource : version.resources) {
        Tree entry = Tree::object(
            {{"resource", resource->plural},
             {"singularResource", resource->singular},
             {"scope", resource->namespaced ? "Namespaced" : "Cluster"},
             {"responseKind", response_kind(*resource, resource->group, resource->version, resource->kind)},
             {"verbs", strings(resource->verbs)}});
        if (!resource->short_names.empty()) entry.set("shortNames", strings(resource->short_names));
        if (!resource->categories.empty()) entry.set("categories", strings(resource->categories));
        for (const Subresource& sub : resource->subresources)
          entry.ensure("subresources")
              .append(
                  Tree::object({{"subresource", sub.name},
                                {"responseKind", response_kind(*resource, sub.group, sub.version, sub.kind)},
                                {"verbs", strings(sub.verbs)}}));
        resources.append(std::move(entry));
      }
      versions.append(Tree::object(
          {{"version", version.name}, {"freshness", "Current"}, {"resources", std::move(resources)}}));
    }
    Tree metadata = Tree::object();
    if (!core) metadata.set("name", group.name);
    items.append(Tree::object({{"metadata", std::move(metadata)}, {"versions", std::move(versions)}}));
  }
  return Tree::object({{"apiVersion", "apidiscovery.k8s.io/v2"},
                       {"kind", kAggregated},
                       {"metadata", Tree::object()},
                       {"items", std::move(items)}});
}

// Does the client understand v2? Older versions of the form are not offered.
bool wants_aggregated(std::string_view accept) {
  while (!accept.empty()) {
    const auto end = accept.find(',');
    const std::string_view wish = accept.substr(0, end);
    if (wish.find("application/json") != std::string_view::npos &&
        wish.find("v=v2;") != std::string_view::npos &&
        wish.find("g=apidiscovery.k8s.io") != std::string_view::npos)
      return true;
    if (wish.find("application/json") != std::string_view::npos && wish.ends_with("v=v2")) return true;
    accept = end == std::string_view::npos ? std::string_view{} : accept.substr(end + 1);
  }
  return false;
}

Answer root(const Face& face, bool core, std::string_view accept) {
  const std::vector<Group> groups = groups_of(face.registry);
  if (wants_aggregated(accept)) {
    Answer answer = json(aggregated(groups, core));
    answer.content_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    return answer;
  }
  if (core) {
    const Tree cidr = Tree::object({{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", "127.0.0.1"}});
    return json(Tree::object({{"kind", "APIVersions"},
                              {"versions", strings({"v1"})},
                              {"serverAddressByClientCIDRs", Tree(Tree::Array{cidr})}}));
  }
  Tree list = Tree::array();
  for (const Group& group : groups)
    if (!group.name.empty()) list.append(group_document(group));
  return json(Tree::object({{"apiVersion", "v1"}, {"kind", "APIGroupList"}, {"groups", std::move(list)}}));
}

// /apis/GROUP and /apis/GROUP/VERSION, /api/v1.
std::optional<Answer> group_or_version(const Face& face, std::string_view group_name,
                                       std::string_view version_name) {
  for (const Group& group : groups_of(face.registry)) {
    if (group.name != group_name) continue;
    if (version_name.empty()) {
      Tree document = group_document(group);
      document.set("apiVersion", "v1");
      document.set("kind", "APIGroup");
      return json(document);
    }
    for (const Version& version : group.versions)
      if (version.name == version_name) return json(resource_list(group, version));
  }
  return {};
}

Tree version_document() {
  return Tree::object({{"major", "1"},
                       {"minor", "36"},
                       {"emulationMajor", "1"},
                       {"emulationMinor", "36"},
                       {"minCompatibilityMajor", "1"},
                       {"minCompatibilityMinor", "35"},
                       {"gitVersion", "v1.36.3"},
                       {"gitCommit", ""},
                       {"gitTreeState", "clean"},
                       {"buildDate", "1970-01-01T00:00:00Z"},
                       {"goVersion", ""},
                       {"compiler", "tamp"},
                       {"platform", "linux/amd64"}});
}

Tree paths_document(const Face& face) {
  std::vector<std::string> paths{"/api",   "/api/v1",     "/apis",   "/healthz",
                                 "/livez", "/openapi/v3", "/readyz", "/version"};
  for (const Group& group : groups_of(face.registry)) {
    if (group.name.empty()) continue;
    paths.push_back("/apis/" + group.name);
    for (const Version& version : group.versions) paths.push_back("/apis/" + group.name + "/" + version.name);
  }
  std::sort(paths.begin(), paths.end());
  return Tree::object({{"paths", strings(paths)}});
}

Answer not_acceptable() {
  Answer answer = text("the OpenAPI document is served as JSON only\n");
  answer.status = 406;
  return answer;
}

// There is no document in protobuf.
bool takes_json(std::string_view accept) {
  return accept.empty() || accept.find("json") != std::string_view::npos ||
         accept.find("*/*") != std::string_view::npos;
}

}  // namespace

std::optional<Answer> answer_discovery(const Face& face, std::string_view path, std::string_view accept) {
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/") return json(paths_document(face));
  if (path == "/api") return root(face, true, accept);
  if (path == "/apis") return root(face, false, accept);
  if (path == "/version") return json(version_document());
  for (const std::string_view health : {"/healthz", "/livez", "/readyz"})
    if (path == health || (path.starts_with(health) && path.substr(health.size()).starts_with("/")))
      return text("ok");
  if (path == "/openapi/v3") return json(openapi_v3_index(face));
  if (path.starts_with("/openapi/v3/")) {
    if (!takes_json(accept)) return not_acceptable();
    const Tree document = openapi_v3(face, path.substr(12));
    return document.is_null() ? std::nullopt : std::optional(json(document));
  }
  if (path.starts_with("/api/")) {
    const std::string_view version = path.substr(5);
    if (version.empty() || version.find('/') != std::string_view::npos) return {};
    return group_or_version(face, "", version);
  }
  if (!path.starts_with("/apis/")) return {};
  const std::string_view rest = path.substr(6);
  const auto slash = rest.find('/');
  const std::string_view group = rest.substr(0, slash);
  const std::string_view version =
      slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
  if (group.empty() || version.find('/') != std::string_view::npos) return {};
  return group_or_version(face, group, version);
}

}  // namespace tamp::world::api
