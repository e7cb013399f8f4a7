#include "sim/api/validate_container.h"

#include <algorithm>

#include "sim/api/validate_common.h"
#include "sim/api/validate_text.h"

namespace tamp::world::api {
namespace {

void check_ports(Findings& found, const Tree& ports, const Place& place) {
  std::vector<std::string_view> names;
  const Tree::Array& all = ports.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tree& port = all[i];
    const Place at = place.at(i);
    if (const std::string_view name = port["name"].string(); !name.empty()) {
      if (const auto problems = port_name_problems(name); !problems.empty()) {
        for (const char* why : problems) found.invalid(at.child("name"), name, why);
      } else if (std::find(names.begin(), names.end(), name) != names.end()) {
        found.duplicate(at.child("name"), name);
      } else {
        names.push_back(name);
      }
    }
    if (port["containerPort"].integer() == 0) {
      found.required(at.child("containerPort"));
    } else {
      check_port_number(found, port["containerPort"], at.child("containerPort"));
    }
    if (port["hostPort"].integer() != 0) check_port_number(found, port["hostPort"], at.child("hostPort"));
    check_one_of(found, port["protocol"], at.child("protocol"), {"SCTP", "TCP", "UDP"});
  }
}

void check_key_reference(Findings& found, const Tree& reference, const Place& at) {
  for (const char* why : not_subdomain(reference["name"].string()))
    found.invalid(at.child("name"), reference["name"], why);
  if (reference["key"].string().empty()) {
    found.required(at.child("key"));
  } else {
    for (const char* why : not_data_key(reference["key"].string())) {
      found.invalid(at.child("key"), reference["key"], why);
    }
  }
}

void check_value_source(Findings& found, const Tree& variable, const Place& at) {
  const Tree* source = variable.find("valueFrom");
  if (source == nullptr || source->is_null()) return;
  int sources = 0;
  if (const Tree* field = source->find("fieldRef")) {
    ++sources;
    const std::string_view path = (*field)["fieldPath"].string();
    const Place place = at.child("fieldRef");
    static constexpr std::string_view kKnown[] = {
        "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
        "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};
    const bool by_key = path.starts_with("metadata.labels['") || path.starts_with("metadata.annotations['");
    if (path.empty()) {
      found.required(place.child("fieldPath"));
    } else if (!by_key && std::find(std::begin(kKnown), std::end(kKnown), path) == std::end(kKnown)) {
      const bool known_elsewhere = path == "metadata.labels" || path == "metadata.annotations";
      if (known_elsewhere || path.starts_with("spec.") || path.starts_with("status.") ||
          path.starts_with("metadata.")) {
        if (known_elsewhere) {
          found.not_supported(place.child("fieldPath"), path, "metadata.name, …");
        } else {
          found.invalid(place.child("fieldPath"), path,
                        "error converting fieldPath: field label not supported: " + std::string(path));
        }
      } else {
        found.invalid(place.child("fieldPath"), path,
                      "error converting fieldPath: field label not supported: " + std::string(path));
      }
    }
  }
  if (const Tree* resource = source->find("resourceFieldRef")) {
    ++sources;
    if ((*resource)["resource"].string().empty())
      found.required(at.child("resourceFieldRef").child("resource"));
  }
  for (std::string_view key : {"configMapKeyRef", "secretKeyRef"}) {
    if (const Tree* reference = source->find(key)) {
      ++sources;
      check_key_reference(found, *reference, at.child(key));
    }
  }
  if (source->has("fileKeyRef")) ++sources;
  if (sources == 0) {
    found.invalid(at, "",
                  "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
                  "`fileKeyRef`");
  } else if (!variable["value"].string().empty()) {
    found.invalid(at, "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    found.invalid(at, "", "may not have more than one field specified at a time");
  }
}

void check_variables(Findings& found, const Tree& variables, const Place& place) {
  const Tree::Array& all = variables.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Place at = place.at(i);
    if (all[i]["name"].string().empty()) {
      found.required(at.child("name"));
    } else {
      for (const char* why : not_variable(all[i]["name"].string())) {
        found.invalid(at.child("name"), all[i]["name"], why);
      }
    }
    check_value_source(found, all[i], at.child("valueFrom"));
  }
}

void check_mounts(Findings& found, const Tree& mounts, const VolumeNames& volumes, const Place& place) {
  const Tree::Array& all = mounts.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tree& mount = all[i];
    const Place at = place.at(i);
    const std::string_view name = mount["name"].string(), path = mount["mountPath"].string();
    if (name.empty()) found.required(at.child("name"));
    if (std::find(volumes.begin(), volumes.end(), name) == volumes.end())
      found.not_found(at.child("name"), name);
    if (path.empty()) found.required(at.child("mountPath"));
    for (std::size_t j = 0; j < i; ++j) {
      if (all[j]["mountPath"].string() != path) continue;
      found.invalid(at.child("mountPath"), path, "must be unique");
      break;
    }
  }
}

void check_handler(Findings& found, const Tree& handler, const Place& at) {
  int handlers = 0;
  for (std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const Tree* action = handler.find(kind);
    if (action == nullptr || action->is_null()) continue;
    const Place place = at.child(kind);
    if (handlers++ > 0) {
      found.forbidden(place, "may not specify more than 1 handler type");
      continue;
    }
    if (kind == "exec" && (*action)["command"].empty()) found.required(place.child("command"));
    if (kind == "httpGet") {
      check_one_of(found, (*action)["scheme"], place.child("scheme"), {"HTTP", "HTTPS"});
    }
    if (kind != "httpGet" && kind != "tcpSocket" && kind != "grpc") continue;
    const Tree& port = (*action)["port"];
    if (port.is_string()) {
      for (const char* why : port_name_problems(port.string())) found.invalid(place.child("port"), port, why);
    } else {
      check_port_number(found, port, place.child("port"));
    }
  }
  if (handlers == 0) found.required(at, "must specify a handler type");
}

void check_probe(Findings& found, const Tree& container, std::string_view kind, const Place& above) {
  const Tree* probe = container.find(kind);
  if (probe == nullptr || probe->is_null()) return;
  const Place at = above.child(kind);
  check_handler(found, *probe, at);
  for (std::string_view key :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
    check_not_negative(found, (*probe)[key], at.child(key));
  }
  if (const Tree& seconds = (*probe)["terminationGracePeriodSeconds"]; !seconds.is_null()) {
    if (kind == "readinessProbe") {
      found.invalid(at.child("terminationGracePeriodSeconds"), seconds,
                    "must not be set for readinessProbes");
    } else if (seconds.integer() <= 0) {
      found.invalid(at.child("terminationGracePeriodSeconds"), seconds, "must be greater than 0");
    }
  }
  if (kind != "readinessProbe" && (*probe)["successThreshold"].integer() != 1) {
    found.invalid(at.child("successThreshold"), (*probe)["successThreshold"], "must be 1");
  }
}

void check_lifecycle(Findings& found, const Tree& container, const Place& above) {
  const Tree* lifecycle = container.find("lifecycle");
  if (lifecycle == nullptr) return;
  for (std::string_view hook : {"postStart", "preStop"}) {
    const Tree* handler = lifecycle->find(hook);
    if (handler != nullptr && !handler->is_null())
      check_handler(found, *handler, above.child("lifecycle").child(hook));
  }
}

void check_common(Findings& found, const Tree& container, const VolumeNames& volumes, const Place& at) {
  if (container["name"].string().empty()) {
    found.required(at.child("name"));
  } else {
    for (const char* why : not_label(container["name"].string())) {
      found.invalid(at.child("name"), container["name"], why);
    }
  }
  if (container["image"].string().empty()) found.required(at.child("image"));
  check_one_of(found, container["terminationMessagePolicy"], at.child("terminationMessagePolicy"),
               {"File", "FallbackToLogsOnError"});
  check_ports(found, container["ports"], at.child("ports"));
  check_variables(found, container["env"], at.child("env"));
  check_mounts(found, container["volumeMounts"], volumes, at.child("volumeMounts"));
  check_one_of(found, container["imagePullPolicy"], at.child("imagePullPolicy"),
               {"Always", "IfNotPresent", "Never"});
  check_resources(found, container["resources"], at.child("resources"));
}

void check_probes(Findings& found, const Tree& container, const Place& at) {
  check_lifecycle(found, container, at);
  for (std::string_view kind : {"livenessProbe", "readinessProbe", "startupProbe"})
    check_probe(found, container, kind, at);
}

void check_restart_policy(Findings& found, const Tree& container, const Place& at) {
  if (const Tree& policy = container["restartPolicy"]; !policy.is_null())
    check_one_of(found, policy, at.child("restartPolicy"), {"Always", "Never", "OnFailure"});
}

// One host port can be had once on a node.
void check_host_ports(Findings& found, const Tree::Array& containers, std::size_t first, std::size_t last,
                      const Place& place) {
  std::vector<std::string> taken;
  for (std::size_t i = first; i < last; ++i) {
    const Tree::Array& ports = containers[i]["ports"].elements();
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const std::int64_t number = ports[j]["hostPort"].integer();
      if (number == 0) continue;
      std::string key = std::string(ports[j]["protocol"].string()) + "/" +
                        std::string(ports[j]["hostIP"].string()) + "/" + std::to_string(number);
      if (std::find(taken.begin(), taken.end(), key) != taken.end()) {
        const Place list = place.at(i);
        const Place all = list.child("ports");
        found.duplicate(all.at(j).child("hostPort"), key);
      } else {
        taken.push_back(std::move(key));
      }
    }
  }
}

bool is_known(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

VolumeNames check_volumes(Findings& found, const Tree& volumes, const Place& place) {
  VolumeNames names;
  const Tree::Array& all = volumes.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tree& volume = all[i];
    const Place at = place.at(i);
    const std::size_t before = found.count();
    bool one = false;
    for (const Tree::Member& source : volume.members()) {
      if (source.key == "name" || source.value.is_null()) continue;
      if (one) found.forbidden(at.child(source.key), "may not specify more than 1 volume type");
      one = true;
    }
    if (!one) found.required(at, "must specify a volume type");
    const auto require = [&](std::string_view kind, std::string_view key) {
      const Tree* source = volume.find(kind);
      if (source != nullptr && (*source)[key].string().empty()) found.required(at.child(kind).child(key));
    };
    require("persistentVolumeClaim", "claimName");
    require("secret", "secretName");
    require("configMap", "name");
    require("hostPath", "path");
    const std::string_view name = volume["name"].string();
    if (name.empty()) {
      found.required(at.child("name"));
    } else {
      for (const char* why : not_label(name)) {
        found.invalid(at.child("name"), name, why);
      }
    }
    if (is_known(names, name)) found.duplicate(at.child("name"), name);
    if (found.count() == before) names.push_back(name);
  }
  return names;
}

void check_containers(Findings& found, const Tree& spec, const VolumeNames& volumes, const Place& place) {
  const Tree::Array& containers = spec["containers"].elements();
  const Place regular = place.child("containers");
  std::vector<std::string_view> names;
  if (containers.empty()) found.required(regular);
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Place at = regular.at(i);
    check_common(found, containers[i], volumes, at);
    const std::string_view name = containers[i]["name"].string();
    if (is_known(names, name)) {
      found.duplicate(at.child("name"), name);
    } else {
      names.push_back(name);
    }
    check_probes(found, containers[i], at);
    check_restart_policy(found, containers[i], at);
  }
  check_host_ports(found, containers, 0, containers.size(), regular);

  const Tree::Array& starters = spec["initContainers"].elements();
  const Place initial = place.child("initContainers");
  for (std::size_t i = 0; i < starters.size(); ++i) {
    const Tree& starter = starters[i];
    const Place at = initial.at(i);
    check_common(found, starter, volumes, at);
    check_restart_policy(found, starter, at);
    const std::string_view name = starter["name"].string();
    if (is_known(names, name)) {
      found.duplicate(at.child("name"), name);
    } else if (!name.empty()) {
      names.push_back(name);
    }
    check_host_ports(found, starters, i, i + 1, initial);
    if (starter["restartPolicy"].string() == "Always") {
      check_probes(found, starter, at);
      continue;
    }
    for (std::string_view key : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
      if (starter[key].is_null()) continue;
      found.forbidden(at.child(key), "may not be set for init containers without restartPolicy=Always");
    }
  }
}

}  // namespace tamp::world::api
