#include "sim/api/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/api/server.h"

namespace tamp::world::api {
namespace {

using Cells = Tree::Array;

const Tree& name_of(const Tree& object) { return object["metadata"]["name"]; }
std::string age_of(const Tree& object, Time now) { return age(object["metadata"]["creationTimestamp"], now); }
Tree count(const Tree& list) { return static_cast<std::int64_t>(list.size()); }
Tree number(const Tree& value) { return value.integer(); }

std::string joined(const Tree& list, std::string_view member, std::string_view separator = ",") {
  std::string out;
  for (const Tree& element : list.elements()) {
    if (!out.empty()) out += separator;
    out += member.empty() ? element.string() : element[member].string();
  }
  return out;
}

void add_containers(Cells& cells, const Tree& pod_spec) {
  cells.emplace_back(joined(pod_spec["containers"], "name"));
  cells.emplace_back(joined(pod_spec["containers"], "image"));
}

std::string or_else(std::string_view text, std::string_view otherwise) {
  return std::string(text.empty() ? otherwise : text);
}

std::string number_or_text(const Tree& value) {
  return value.is_string() ? std::string(value.string()) : std::to_string(value.integer());
}

Cells name_and_age(const Tree& o, Time now) { return {name_of(o), age_of(o, now)}; }

Cells plain(const Tree& o, Time) { return {name_of(o), o["metadata"]["creationTimestamp"]}; }

Cells disruption_budget(const Tree& o, Time now) {
  const auto side = [&](std::string_view field) {
    const Tree* value = o["spec"].find(field);
    return value == nullptr ? std::string("N/A") : number_or_text(*value);
  };
  return {name_of(o), side("minAvailable"), side("maxUnavailable"), number(o["status"]["disruptionsAllowed"]),
          age_of(o, now)};
}

Cells replicas(const Tree& o, Time now) {
  Cells cells{name_of(o), number(o["spec"]["replicas"]), number(o["status"]["replicas"]),
              number(o["status"]["readyReplicas"]), age_of(o, now)};
  add_containers(cells, o.at({"spec", "template", "spec"}));
  return cells;
}

Cells replica_set(const Tree& o, Time now) {
  Cells cells = replicas(o, now);
  cells.emplace_back(format_selector(o["spec"]["selector"]));
  return cells;
}

Cells daemon_set(const Tree& o, Time now) {
  const Tree& status = o["status"];
  const Tree& pod = o.at({"spec", "template", "spec"});
  Cells cells{name_of(o),
              number(status["desiredNumberScheduled"]),
              number(status["currentNumberScheduled"]),
              number(status["numberReady"]),
              number(status["updatedNumberScheduled"]),
              number(status["numberAvailable"]),
              format_labels(pod["nodeSelector"]),
              age_of(o, now)};
  add_containers(cells, pod);
  cells.emplace_back(format_selector(o["spec"]["selector"]));
  return cells;
}

Cells job(const Tree& o, Time now) {
  const std::int64_t succeeded = o["status"]["succeeded"].integer();
  const std::int64_t parallelism = o["spec"]["parallelism"].integer();
  std::string completions;
  if (o["spec"].has("completions"))
    completions = fmt::format("{}/{}", succeeded, o["spec"]["completions"].integer());
  else if (parallelism > 1)
    completions = fmt::format("{}/1 of {}", succeeded, parallelism);
  else
    completions = fmt::format("{}/1", succeeded);

  std::string took;
  const auto started = parse_rfc3339(o["status"]["startTime"].string());
  const auto ended = parse_rfc3339(o["status"]["completionTime"].string());
  if (started.ok()) took = human_duration((ended.ok() ? *ended : now) - *started);

  std::string status = "Running";
  if (condition_true(o, "Complete"))
    status = "Complete";
  else if (condition_true(o, "Failed"))
    status = "Failed";
  else if (o["metadata"].has("deletionTimestamp"))
    status = "Terminating";
  else if (condition_true(o, "Suspended"))
    status = "Suspended";
  else if (condition_true(o, "FailureTarget"))
    status = "FailureTarget";
  else if (condition_true(o, "SuccessCriteriaMet"))
    status = "SuccessCriteriaMet";

  Cells cells{name_of(o), status, completions, took, age_of(o, now)};
  add_containers(cells, o.at({"spec", "template", "spec"}));
  cells.emplace_back(format_selector(o["spec"]["selector"]));
  return cells;
}

Cells cron_job(const Tree& o, Time now) {
  const Tree* last = o["status"].find("lastScheduleTime");
  const Tree& job = o.at({"spec", "jobTemplate", "spec"});
  Cells cells{name_of(o),
              o["spec"]["schedule"],
              or_else(o["spec"]["timeZone"].string(), "<none>"),
              !o["spec"].has("suspend")        ? "<unset>"
              : o["spec"]["suspend"].boolean() ? "True"
                                               : "False",
              count(o["status"]["active"]),
              last == nullptr ? "<none>" : age(*last, now),
              age_of(o, now)};
  add_containers(cells, job.at({"template", "spec"}));
  cells.emplace_back(format_selector(job["selector"]));
  return cells;
}

std::string external_address(const Tree& service) {
  const std::string_view type = service["spec"]["type"].string();
  std::string listed = joined(service["spec"]["externalIPs"], "");
  if (type == "ExternalName") return std::string(service["spec"]["externalName"].string());
  if (type != "LoadBalancer") return or_else(listed, "<none>");
  std::set<std::string> balancers;
  for (const Tree& entry : service.at({"status", "loadBalancer", "ingress"}).elements())
    balancers.insert(or_else(entry["ip"].string(), entry["hostname"].string()));
  std::string out = fmt::format("{}", fmt::join(balancers, ","));
  if (!out.empty() && !listed.empty()) out += ',';
  return or_else(out + listed, "<pending>");
}

Cells service(const Tree& o, Time now) {
  std::string ports;
  for (const Tree& port : o["spec"]["ports"].elements()) {
    if (!ports.empty()) ports += ',';
    ports += std::to_string(port["port"].integer());
    if (port["nodePort"].integer() > 0) ports += fmt::format(":{}", port["nodePort"].integer());
    ports += "/" + std::string(port["protocol"].string());
  }
  const auto& ips = o["spec"]["clusterIPs"].elements();
  return {name_of(o),
          o["spec"]["type"].string(),
          ips.empty() ? "<none>" : std::string(ips.front().string()),
          external_address(o),
          or_else(ports, "<none>"),
          age_of(o, now),
          format_labels(o["spec"]["selector"])};
}

Cells stateful_set(const Tree& o, Time now) {
  Cells cells{name_of(o),
              fmt::format("{}/{}", o["status"]["readyReplicas"].integer(), o["spec"]["replicas"].integer()),
              age_of(o, now)};
  add_containers(cells, o.at({"spec", "template", "spec"}));
  return cells;
}

Cells deployment(const Tree& o, Time now) {
  Cells cells{name_of(o),
              fmt::format("{}/{}", o["status"]["readyReplicas"].integer(), o["spec"]["replicas"].integer()),
              number(o["status"]["updatedReplicas"]), number(o["status"]["availableReplicas"]),
              age_of(o, now)};
  add_containers(cells, o.at({"spec", "template", "spec"}));
  const std::string selector = format_selector(o["spec"]["selector"]);
  cells.emplace_back(selector == "<none>" ? "" : selector);
  return cells;
}

// "10.0.0.1,10.0.0.2,10.0.0.3 + 3 more..."
std::string first_three(const std::vector<std::string>& all, std::string_view otherwise) {
  if (all.empty()) return std::string(otherwise);
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, all.size()); ++i) out += (i ? "," : "") + all[i];
  if (all.size() > 3) out += fmt::format(" + {} more...", all.size() - 3);
  return out;
}

Cells endpoint_slice(const Tree& o, Time now) {
  std::vector<std::string> ports, addresses;
  for (const Tree& port : o["ports"].elements())
    ports.push_back(port.has("port") ? std::to_string(port["port"].integer())
                                     : or_else(port["name"].string(), "*"));
  for (const Tree& endpoint : o["endpoints"].elements())
    for (const Tree& address : endpoint["addresses"].elements()) addresses.emplace_back(address.string());
  return {name_of(o), o["addressType"].string(), first_three(ports, "<unset>"),
          first_three(addresses, "<unset>"), age_of(o, now)};
}

std::string node_roles(const Tree& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const Tree::Member& label : node["metadata"]["labels"].members()) {
    if (label.key.starts_with(kPrefix) && label.key.size() > kPrefix.size())
      roles.insert(label.key.substr(kPrefix.size()));
    if (label.key == "kubernetes.io/role" && !label.value.string().empty())
      roles.emplace(label.value.string());
  }
  return or_else(fmt::format("{}", fmt::join(roles, ",")), "<none>");
}

std::string node_address(const Tree& node, std::string_view type) {
  for (const Tree& address : node["status"]["addresses"].elements())
    if (address["type"].string() == type) return std::string(address["address"].string());
  return "<none>";
}

Cells node(const Tree& o, Time now) {
  const Tree* ready = find_condition(o, "Ready");
  std::string status = ready == nullptr                        ? "Unknown"
                       : (*ready)["status"].string() == "True" ? "Ready"
                                                               : "NotReady";
  if (o["spec"]["unschedulable"].boolean()) status += ",SchedulingDisabled";
  const Tree& info = o["status"]["nodeInfo"];
  std::string kernel = or_else(info["kernelVersion"].string(), "<unknown>");
  if (!info["architecture"].string().empty())
    kernel += " (" + std::string(info["architecture"].string()) + ")";
  return {name_of(o),
          status,
          node_roles(o),
          age_of(o, now),
          info["kubeletVersion"].string(),
          node_address(o, "InternalIP"),
          node_address(o, "ExternalIP"),
          or_else(info["osImage"].string(), "<unknown>"),
          kernel,
          or_else(info["containerRuntimeVersion"].string(), "<unknown>")};
}

Cells event(const Tree& o, Time now) {
  std::string first = age(o["firstTimestamp"], now);
  if (first == "<unknown>") first = age(o["eventTime"], now);
  std::string last = age(o["lastTimestamp"], now);
  if (last == "<unknown>") last = first;
  std::int64_t times = o["count"].integer();
  if (o["series"].is_object()) {
    last = age(o["series"]["lastObservedTime"], now);
    times = o["series"]["count"].integer();
  } else if (times == 0) {
    times = 1;
  }
  const Tree& about = o["involvedObject"];
  std::string target(about["kind"].string());
  std::transform(target.begin(), target.end(), target.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (!about["name"].string().empty()) target += "/" + std::string(about["name"].string());
  const Tree& source = o["source"];
  std::string who = or_else(source["component"].string(), o["reportingComponent"].string());
  const std::string host = or_else(source["host"].string(), o["reportingInstance"].string());
  if (!host.empty()) who += ", " + host;
  std::string_view message = o["message"].string();
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.remove_suffix(1);
  while (!message.empty() && (message.front() == '\n' || message.front() == ' ')) message.remove_prefix(1);
  return {last,
          o["type"].string(),
          o["reason"].string(),
          target,
          about["fieldPath"].string(),
          who,
          message,
          first,
          times,
          name_of(o)};
}

Cells name_space(const Tree& o, Time now) {
  return {name_of(o), o["status"]["phase"].string(), age_of(o, now)};
}

Cells secret(const Tree& o, Time now) {
  return {name_of(o), o["type"].string(), count(o["data"]), age_of(o, now)};
}

Cells config_map(const Tree& o, Time now) {
  const std::size_t entries = o["data"].size() + o["binaryData"].size();
  return {name_of(o), static_cast<std::int64_t>(entries), age_of(o, now)};
}

std::string access_modes(const Tree& modes) {
  std::string out;
  for (const auto& [mode, letters] : {std::pair{"ReadWriteOnce", "RWO"},
                                      {"ReadOnlyMany", "ROX"},
                                      {"ReadWriteMany", "RWX"},
                                      {"ReadWriteOncePod", "RWOP"}})
    for (const Tree& wanted : modes.elements())
      if (wanted.string() == mode) {
        out += (out.empty() ? "" : ",") + std::string(letters);
        break;
      }
  return out;
}

std::string storage_class_name(const Tree& o) {
  const Tree* annotation = o["metadata"]["annotations"].find("volume.beta.kubernetes.io/storage-class");
  return std::string(annotation ? annotation->string() : o["spec"]["storageClassName"].string());
}

std::string_view phase_of(const Tree& o) {
  return o["metadata"].has("deletionTimestamp") ? "Terminating" : o["status"]["phase"].string();
}

Cells volume(const Tree& o, Time now) {
  const Tree& claim = o["spec"]["claimRef"];
  return {name_of(o),
          or_else(o["spec"]["capacity"]["storage"].string(), "0"),
          access_modes(o["spec"]["accessModes"]),
          o["spec"]["persistentVolumeReclaimPolicy"].string(),
          phase_of(o),
          claim.is_object() ? fmt::format("{}/{}", claim["namespace"].string(), claim["name"].string()) : "",
          storage_class_name(o),
          or_else(o["spec"]["volumeAttributesClassName"].string(), "<unset>"),
          o["status"]["reason"].string(),
          age_of(o, now),
          or_else(o["spec"]["volumeMode"].string(), "<unset>")};
}

Cells claim(const Tree& o, Time now) {
  const std::string_view volume_name = o["spec"]["volumeName"].string();
  const bool bound = !volume_name.empty();
  return {name_of(o),
          phase_of(o),
          volume_name,
          bound ? or_else(o["status"]["capacity"]["storage"].string(), "0") : "",
          bound ? access_modes(o["status"]["accessModes"]) : "",
          storage_class_name(o),
          or_else(o["spec"]["volumeAttributesClassName"].string(), "<unset>"),
          age_of(o, now),
          or_else(o["spec"]["volumeMode"].string(), "<unset>")};
}

Cells role_binding(const Tree& o, Time now) {
  std::string users, groups, accounts;
  for (const Tree& subject : o["subjects"].elements()) {
    const std::string_view kind = subject["kind"].string();
    std::string& list = kind == "User" ? users : kind == "Group" ? groups : accounts;
    if (!list.empty()) list += ", ";
    if (kind == "ServiceAccount") list += std::string(subject["namespace"].string()) + "/";
    list += subject["name"].string();
  }
  return {name_of(o),     fmt::format("{}/{}", o["roleRef"]["kind"].string(), o["roleRef"]["name"].string()),
          age_of(o, now), users,
          groups,         accounts};
}

Cells lease(const Tree& o, Time now) {
  return {name_of(o), o["spec"]["holderIdentity"].string(), age_of(o, now)};
}

Cells storage_class(const Tree& o, Time now) {
  std::string name(name_of(o).string());
  const Tree& annotations = o["metadata"]["annotations"];
  for (const std::string_view key :
       {"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"})
    if (annotations[key].string() == "true") {
      name += " (default)";
      break;
    }
  return {name,
          o["provisioner"].string(),
          or_else(o["reclaimPolicy"].string(), "Delete"),
          or_else(o["volumeBindingMode"].string(), "Immediate"),
          o["allowVolumeExpansion"].boolean(),
          age_of(o, now)};
}

Cells controller_revision(const Tree& o, Time now) {
  std::string controller = "<none>";
  for (const Tree& owner : o["metadata"]["ownerReferences"].elements()) {
    if (!owner["controller"].boolean()) continue;
    std::string kind(owner["kind"].string());
    const std::string_view version = owner["apiVersion"].string();
    if (const auto slash = version.find('/'); slash != std::string_view::npos)
      kind += "." + std::string(version.substr(0, slash));
    std::transform(kind.begin(), kind.end(), kind.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    controller = kind + "/" + std::string(owner["name"].string());
  }
  return {name_of(o), controller, number(o["revision"]), age_of(o, now)};
}

Cells priority_class(const Tree& o, Time now) {
  return {name_of(o), number(o["value"]), o["globalDefault"].boolean(), age_of(o, now),
          o["preemptionPolicy"].string()};
}

// The columns of a kind, with bars between them. A + before the name: wide output alone shows it. A # or a ?:
// it holds integers or truths, and otherwise texts.
struct Sheet {
  ResourceId resource;
  std::string_view columns;
  Tree::Array (*cells)(const Tree& object, Time now);
};

constexpr std::string_view kSetColumns = "Name|#Desired|#Current|#Ready|Age|+Containers|+Images|+Selector";
constexpr std::string_view kBindingColumns = "Name|Role|Age|+Users|+Groups|+ServiceAccounts";

constexpr Sheet kSheets[] = {
    {ResourceId::Pods, "Name|Ready|Status|Restarts|Age|+IP|+Node|+Nominated Node|+Readiness Gates",
     pod_cells},
    {ResourceId::PodDisruptionBudgets, "Name|Min Available|Max Unavailable|#Allowed Disruptions|Age",
     disruption_budget},
    {ResourceId::ReplicaSets, kSetColumns, replica_set},
    {ResourceId::DaemonSets,
     "Name|#Desired|#Current|#Ready|#Up-to-date|#Available|Node Selector|Age|+Containers|+Images|+Selector",
     daemon_set},
    {ResourceId::Jobs, "Name|Status|Completions|Duration|Age|+Containers|+Images|+Selector", job},
    {ResourceId::CronJobs,
     "Name|Schedule|Timezone|?Suspend|#Active|Last Schedule|Age|+Containers|+Images|+Selector", cron_job},
    {ResourceId::Services, "Name|Type|Cluster-IP|External-IP|Port(s)|Age|+Selector", service},
    {ResourceId::StatefulSets, "Name|Ready|Age|+Containers|+Images", stateful_set},
    {ResourceId::EndpointSlices, "Name|AddressType|Ports|Endpoints|Age", endpoint_slice},
    {ResourceId::Nodes,
     "Name|Status|Roles|Age|Version|+Internal-IP|+External-IP|+OS-Image|+Kernel-Version|+Container-Runtime",
     node},
    {ResourceId::Events, "Last Seen|Type|Reason|Object|+Subobject|+Source|Message|+First Seen|+Count|+Name",
     event},
    {ResourceId::Namespaces, "Name|Status|Age", name_space},
    {ResourceId::Secrets, "Name|Type|Data|Age", secret},
    {ResourceId::ServiceAccounts, "Name|Age", name_and_age},
    {ResourceId::PersistentVolumes,
     "Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|"
     "+VolumeMode",
     volume},
    {ResourceId::PersistentVolumeClaims,
     "Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|+VolumeMode", claim},
    {ResourceId::Deployments, "Name|Ready|Up-to-date|Available|Age|+Containers|+Images|+Selector",
     deployment},
    {ResourceId::ConfigMaps, "Name|Data|Age", config_map},
    {ResourceId::RoleBindings, kBindingColumns, role_binding},
    {ResourceId::ClusterRoleBindings, kBindingColumns, role_binding},
    {ResourceId::Leases, "Name|Holder|Age", lease},
    {ResourceId::StorageClasses, "Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age",
     storage_class},
    {ResourceId::ControllerRevisions, "Name|Controller|Revision|Age", controller_revision},
    {ResourceId::PriorityClasses, "Name|#Value|?Global-Default|Age|PreemptionPolicy", priority_class},
};

Column read_column(std::string_view text) {
  Column column;
  const auto take = [&text](char mark) {
    if (!text.starts_with(mark)) return false;
    text.remove_prefix(1);
    return true;
  };
  if (take('+')) column.priority = 1;
  if (take('#')) column.type = "integer";
  if (take('?')) column.type = "boolean";
  column.name = text;
  if (text == "Name") column.format = "name";
  return column;
}

Printer read_sheet(const Sheet& sheet) {
  Printer printer{{}, sheet.cells};
  for (std::string_view rest = sheet.columns; !rest.empty();) {
    const std::size_t end = rest.find('|');
    printer.columns.push_back(read_column(rest.substr(0, end)));
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return printer;
}

std::map<ResourceId, Printer> read_sheets() {
  std::map<ResourceId, Printer> all;
  for (const Sheet& sheet : kSheets) all.emplace(sheet.resource, read_sheet(sheet));
  return all;
}

}  // namespace

const Printer& printer_of(ResourceId resource) {
  static const std::map<ResourceId, Printer> kPrinters = read_sheets();
  static const Printer kPlain{{{"Name", "string", 0, "name"}, {"Created At", "date"}}, plain};
  const auto found = kPrinters.find(resource);
  return found == kPrinters.end() ? kPlain : found->second;
}

}  // namespace tamp::world::api
