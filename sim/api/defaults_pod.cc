#include "sim/api/defaults_pod.h"

#include <array>
#include <string>

#include "sim/api/image_name.h"
#include "wire/quantity.h"

namespace tamp::world::api {
namespace {

constexpr std::int64_t kReadableByAll = 0644;
constexpr std::int64_t kTokenSeconds = 3600;

void set_pull_policy(Tree& object, std::string_view image) {
  if (!object["pullPolicy"].string().empty()) return;
  object.set("pullPolicy", names_latest_image(image) ? "Always" : "IfNotPresent");
}

void set_http_get_defaults(Tree* get) {
  if (get == nullptr || !get->is_object()) return;
  set_if_empty(*get, "path", "/");
  set_if_empty(*get, "scheme", "HTTP");
}

void set_probe_defaults(Tree* probe) {
  if (probe == nullptr || !probe->is_object()) return;
  set_if_zero(*probe, "timeoutSeconds", 1);
  set_if_zero(*probe, "periodSeconds", 10);
  set_if_zero(*probe, "successThreshold", 1);
  set_if_zero(*probe, "failureThreshold", 3);
  set_http_get_defaults(probe->find("httpGet"));
  if (Tree* grpc = probe->find("grpc"); grpc != nullptr && grpc->is_object())
    set_if_missing(*grpc, "service", "");
}

void set_field_ref_defaults(Tree* source) {
  if (source == nullptr || !source->is_object()) return;
  if (Tree* field = source->find("fieldRef"); field != nullptr && field->is_object()) {
    set_if_empty(*field, "apiVersion", "v1");
  }
}

void set_container_defaults(Tree& container) {
  if (!container.is_object()) return;
  if (container["imagePullPolicy"].string().empty()) {
    container.set("imagePullPolicy",
                  names_latest_image(container["image"].string()) ? "Always" : "IfNotPresent");
  }
  set_if_empty(container, "terminationMessagePath", "/dev/termination-log");
  set_if_empty(container, "terminationMessagePolicy", "File");
  if (Tree* ports = container.find("ports"); ports != nullptr && ports->is_array()) {
    for (Tree& port : ports->elements()) {
      if (port.is_object()) set_if_empty(port, "protocol", "TCP");
    }
  }
  if (Tree* variables = container.find("env"); variables != nullptr && variables->is_array()) {
    for (Tree& variable : variables->elements()) {
      Tree* source = variable.find("valueFrom");
      set_field_ref_defaults(source);
      if (source == nullptr) continue;
      if (Tree* file = source->find("fileKeyRef"); file != nullptr && file->is_object()) {
        set_if_missing(*file, "optional", false);
      }
    }
  }
  if (Tree* resources = container.find("resources"); resources == nullptr) {
    container.set("resources", Tree::object());
  } else {
    round_resources(resources->find("limits"));
    round_resources(resources->find("requests"));
  }
  set_probe_defaults(container.find("livenessProbe"));
  set_probe_defaults(container.find("readinessProbe"));
  set_probe_defaults(container.find("startupProbe"));
  if (Tree* lifecycle = container.find("lifecycle"); lifecycle != nullptr) {
    for (std::string_view hook : {"postStart", "preStop"}) {
      if (Tree* handler = lifecycle->find(hook)) set_http_get_defaults(handler->find("httpGet"));
    }
  }
}

void set_items_defaults(Tree* source) {
  if (source == nullptr) return;
  Tree* items = source->find("items");
  if (items == nullptr || !items->is_array()) return;
  for (Tree& item : items->elements()) set_field_ref_defaults(&item);
}

void set_projected_defaults(Tree& projected) {
  set_if_missing(projected, "defaultMode", kReadableByAll);
  Tree* sources = projected.find("sources");
  if (sources == nullptr || !sources->is_array()) return;
  for (Tree& source : sources->elements()) {
    set_items_defaults(source.find("downwardAPI"));
    if (Tree* token = source.find("serviceAccountToken"); token != nullptr && token->is_object()) {
      set_if_missing(*token, "expirationSeconds", kTokenSeconds);
    }
  }
}

void set_volume_defaults(Tree& volume) {
  if (!volume.is_object()) return;
  if (volume.size() == (volume.has("name") ? 1u : 0u)) volume.set("emptyDir", Tree::object());
  for (std::string_view kind : {"configMap", "downwardAPI", "secret"}) {
    if (Tree* source = volume.find(kind); source != nullptr && source->is_object()) {
      set_if_missing(*source, "defaultMode", kReadableByAll);
    }
  }
  set_items_defaults(volume.find("downwardAPI"));
  if (Tree* projected = volume.find("projected"); projected != nullptr && projected->is_object()) {
    set_projected_defaults(*projected);
  }
  if (Tree* path = volume.find("hostPath"); path != nullptr && path->is_object())
    set_if_missing(*path, "type", "");
  if (Tree* image = volume.find("image"); image != nullptr && image->is_object()) {
    const std::string reference((*image)["reference"].string());
    set_pull_policy(*image, reference);
  }
  if (Tree* iscsi = volume.find("iscsi"); iscsi != nullptr && iscsi->is_object()) {
    set_if_empty(*iscsi, "iscsiInterface", "default");
  }
  if (Tree* ephemeral = volume.find("ephemeral"); ephemeral != nullptr && ephemeral->is_object()) {
    Tree* claim = ephemeral->find("volumeClaimTemplate");
    if (claim != nullptr && claim->is_object()) set_claim_spec_defaults(claim->ensure("spec"));
  }
}

void set_requests_from_limits(Tree* containers) {
  if (containers == nullptr || !containers->is_array()) return;
  for (Tree& container : containers->elements()) {
    Tree* resources = container.find("resources");
    if (resources == nullptr || !resources->is_object()) continue;
    const Tree* limits = resources->find("limits");
    if (limits == nullptr || !limits->is_object() || limits->empty()) continue;
    Tree requests = (*resources)["requests"];
    for (const Tree::Member& limit : limits->members()) {
      if (!requests.has(limit.key)) requests.set(limit.key, limit.value);
    }
    resources->set("requests", std::move(requests));
  }
}

void set_host_ports(Tree* containers) {
  if (containers == nullptr || !containers->is_array()) return;
  for (Tree& container : containers->elements()) {
    Tree* ports = container.find("ports");
    if (ports == nullptr || !ports->is_array()) continue;
    for (Tree& port : ports->elements()) {
      if (port["hostPort"].integer() == 0 && port["containerPort"].integer() != 0) {
        port.set("hostPort", port["containerPort"].integer());
      }
    }
  }
}

// The amounts of containers that run at the same time are not added up here: a request that the pod as a whole leaves out
// becomes its limit. Exact unless containers ask for a resource that the pod limits and does not request.
void set_pod_level_requests(Tree& spec) {
  Tree* resources = spec.find("resources");
  if (resources == nullptr || !resources->is_object()) return;
  const Tree* limits = resources->find("limits");
  if (limits == nullptr || limits->empty()) return;
  Tree requests = (*resources)["requests"];
  for (const Tree::Member& limit : limits->members()) {
    if (requests.has(limit.key)) continue;
    Tree sum = limit.value;
    wire::Quantity total;
    bool asked = false;
    for (const Tree& container : spec["containers"].elements()) {
      const Tree& request = container.at({"resources", "requests"})[limit.key];
      if (!request.is_string()) continue;
      if (auto quantity = wire::parse_quantity(request.string()); quantity.ok()) {
        if (!asked) total.format = quantity->format;
        total.nanos += quantity->nanos;
        asked = true;
      }
    }
    if (asked) sum = total.canonical();
    requests.set(limit.key, std::move(sum));
  }
  resources->set("requests", std::move(requests));
}

}  // namespace

void set_if_empty(Tree& object, std::string_view key, std::string_view value) {
  Tree& member = object.ensure(key);
  if (member.is_null() || (member.is_string() && member.string().empty())) member = value;
}

void set_if_zero(Tree& object, std::string_view key, std::int64_t value) {
  Tree& member = object.ensure(key);
  if (member.is_null() || (member.is_number() && member.number() == 0)) member = value;
}

void set_if_missing(Tree& object, std::string_view key, Tree value) {
  Tree& member = object.ensure(key);
  if (member.is_null()) member = std::move(value);
}

void round_resources(Tree* resources) {
  if (resources == nullptr || !resources->is_object()) return;
  for (Tree::Member& amount : resources->members()) {
    const std::string_view text = amount.value.string();
    // Only n and u, fractions and negative exponents go below a thousandth.
    if (text.find_first_of("nu.-") == std::string_view::npos) continue;
    auto quantity = wire::parse_quantity(text);
    constexpr std::int64_t kMilli = 1'000'000;  // in nanos
    if (!quantity.ok() || quantity->nanos % kMilli == 0) continue;
    const int away = quantity->negative() ? -1 : 1;
    quantity->nanos = (quantity->nanos / kMilli + away) * kMilli;
    amount.value = quantity->canonical();
  }
}

void set_claim_spec_defaults(Tree& spec) {
  if (!spec.is_object() && !spec.is_null()) return;
  set_if_missing(spec, "volumeMode", "Filesystem");
  if (Tree* resources = spec.find("resources"); resources != nullptr) {
    round_resources(resources->find("limits"));
    round_resources(resources->find("requests"));
  } else {
    spec.set("resources", Tree::object());
  }
}

void set_pod_spec_defaults(Tree& spec) {
  set_if_empty(spec, "dnsPolicy", "ClusterFirst");
  set_if_empty(spec, "restartPolicy", "Always");
  set_if_missing(spec, "securityContext", Tree::object());
  set_if_missing(spec, "terminationGracePeriodSeconds", std::int64_t{30});
  set_if_empty(spec, "schedulerName", "default-scheduler");
  // Two names of one field; the old one is only read if the new one is empty.
  if (const Tree* account = spec.find("serviceAccountName");
      account != nullptr && !account->string().empty()) {
    spec.set("serviceAccount", std::string(account->string()));
  } else if (const Tree* older = spec.find("serviceAccount"); older != nullptr && !older->string().empty()) {
    spec.set("serviceAccountName", std::string(older->string()));
  }
  if (Tree* volumes = spec.find("volumes"); volumes != nullptr && volumes->is_array()) {
    for (Tree& volume : volumes->elements()) set_volume_defaults(volume);
  }
  for (std::string_view kind : {"containers", "initContainers"}) {
    Tree* containers = spec.find(kind);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Tree& container : containers->elements()) set_container_defaults(container);
  }
  round_resources(spec.find("overhead"));
}

void set_pod_defaults(Tree& pod) {
  Tree& spec = pod.ensure("spec");
  if (!spec.is_object() && !spec.is_null()) return;
  set_requests_from_limits(spec.find("containers"));
  set_requests_from_limits(spec.find("initContainers"));
  set_pod_level_requests(spec);
  set_if_missing(spec, "enableServiceLinks", true);
  if (spec["terminationGracePeriodSeconds"].integer() < 0) spec.set("terminationGracePeriodSeconds", 1);
  if (spec["hostNetwork"].boolean()) {
    set_host_ports(spec.find("containers"));
    set_host_ports(spec.find("initContainers"));
  }
  set_pod_spec_defaults(spec);
}

void set_template_defaults(Tree& owner_spec) {
  Tree* pod = owner_spec.find("template");
  if (pod == nullptr || !pod->is_object()) return;
  Tree& spec = pod->ensure("spec");
  if (spec.is_object() || spec.is_null()) set_pod_spec_defaults(spec);
}

}  // namespace tamp::world::api
