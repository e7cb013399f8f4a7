#include "sim/api/validate_pod.h"

#include <algorithm>

#include "sim/api/validate_common.h"
#include "sim/api/validate_container.h"
#include "sim/api/validate_text.h"

namespace tamp::world::api {
namespace {

void check_pod_affinity_term(Findings& found, const Tree& term, const Place& at) {
  check_selector(found, term["labelSelector"], at.child("labelSelector"));
  check_selector(found, term["namespaceSelector"], at.child("namespaceSelector"));
  for (const Tree& name : term["namespaces"].elements()) {
    for (const char* why : not_label(name.string())) found.invalid(at.child("namespace"), name, why);
  }
  if (term["topologyKey"].string().empty()) {
    found.required(at.child("topologyKey"), "can not be empty");
  }
  for (const char* why : not_qualified(term["topologyKey"].string()))
    found.invalid(at.child("topologyKey"), term["topologyKey"], why);
}

void check_weight(Findings& found, const Tree& weighted, const Place& at) {
  const std::int64_t weight = weighted["weight"].integer();
  if (weight < 1 || weight > 100)
    found.invalid(at.child("weight"), weighted["weight"], "must be in the range 1-100");
}

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void check_pod_terms(Findings& found, const Tree& affinity, const Place& place) {
  const Tree::Array& required = affinity[kRequired].elements();
  for (std::size_t i = 0; i < required.size(); ++i) {
    check_pod_affinity_term(found, required[i], place.child(kRequired).at(i));
  }
  const Tree::Array& preferred = affinity[kPreferred].elements();
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const Place list = place.child(kPreferred);
    const Place at = list.at(i);
    check_weight(found, preferred[i], at);
    check_pod_affinity_term(found, preferred[i]["podAffinityTerm"], at.child("podAffinityTerm"));
  }
}

void check_affinity(Findings& found, const Tree& affinity, const Place& place) {
  if (!affinity.is_object()) return;
  if (const Tree* node = affinity.find("nodeAffinity")) {
    const Place at = place.child("nodeAffinity");
    if (const Tree* required = node->find(kRequired))
      check_node_selector(found, *required, at.child(kRequired));
    const Tree::Array& preferred = (*node)[kPreferred].elements();
    for (std::size_t i = 0; i < preferred.size(); ++i) {
      const Place list = at.child(kPreferred);
      check_weight(found, preferred[i], list.at(i));
      check_node_selector_term(found, preferred[i]["preference"], list.at(i).child("preference"));
    }
  }
  check_pod_terms(found, affinity["podAffinity"], place.child("podAffinity"));
  check_pod_terms(found, affinity["podAntiAffinity"], place.child("podAntiAffinity"));
}

void check_spread(Findings& found, const Tree& constraints, const Place& place) {
  const Tree::Array& all = constraints.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tree& constraint = all[i];
    const Place at = place.at(i);
    check_positive(found, constraint["maxSkew"], at.child("maxSkew"));
    const std::string_view key = constraint["topologyKey"].string();
    if (key.empty()) found.required(at.child("topologyKey"), "can not be empty");
    check_one_of(found, constraint["whenUnsatisfiable"], at.child("whenUnsatisfiable"),
                 {"DoNotSchedule", "ScheduleAnyway"});
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (all[j]["topologyKey"].string() != key ||
          !(all[j]["whenUnsatisfiable"] == constraint["whenUnsatisfiable"]))
        continue;
      found.duplicate(at.child("{topologyKey, whenUnsatisfiable}"), key);
      break;
    }
    if (const Tree& domains = constraint["minDomains"]; !domains.is_null()) {
      if (domains.integer() <= 0) found.invalid(at.child("minDomains"), domains, "must be greater than 0");
      if (constraint["whenUnsatisfiable"].string() != "DoNotSchedule") {
        found.invalid(at.child("minDomains"), domains,
                      "can only use minDomains if whenUnsatisfiable=DoNotSchedule");
      }
    }
    for (std::string_view policy : {"nodeAffinityPolicy", "nodeTaintsPolicy"}) {
      if (!constraint[policy].is_null())
        check_one_of(found, constraint[policy], at.child(policy), {"Honor", "Ignore"});
    }
    check_selector(found, constraint["labelSelector"], at.child("labelSelector"));
  }
}

void check_gates(Findings& found, const Tree& gates, const Place& place) {
  const Tree::Array& all = gates.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string_view name = all[i]["name"].string();
    for (const char* why : not_qualified(name)) found.invalid(place.at(i), name, why);
    for (std::size_t j = 0; j < i; ++j) {
      if (all[j]["name"].string() == name) {
        found.duplicate(place.at(i), name);
        break;
      }
    }
  }
}

void check_host_network(Findings& found, const Tree& spec, const Place& place) {
  if (!spec["hostNetwork"].boolean()) return;
  const Tree::Array& containers = spec["containers"].elements();
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const Tree::Array& ports = containers[i]["ports"].elements();
    for (std::size_t j = 0; j < ports.size(); ++j) {
      if (ports[j]["hostPort"].integer() == ports[j]["containerPort"].integer()) continue;
      const Place list = place.child("containers");
      const Place container = list.at(i);
      const Place all = container.child("ports");
      found.invalid(all.at(j).child("hostPort"), ports[j]["hostPort"],
                    "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

void check_only_more_tolerations(Findings& found, const Tree& old, const Tree& updated, const Place& place) {
  for (Tree known : old.elements()) {
    const bool kept =
        std::any_of(updated.elements().begin(), updated.elements().end(), [&](const Tree& each) {
          if (const Tree* seconds = each.find("tolerationSeconds")) {
            known.set("tolerationSeconds", *seconds);
          } else {
            known.erase("tolerationSeconds");
          }
          return known == each;
        });
    if (kept) continue;
    return found.forbidden(place, "existing toleration can not be modified except its tolerationSeconds");
  }
  check_tolerations(found, updated, place);
}

void check_only_fewer_gates(Findings& found, const Tree& old, const Tree& updated, const Place& place) {
  const Tree::Array& all = updated.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool known = std::any_of(old.elements().begin(), old.elements().end(),
                                   [&](const Tree& each) { return each["name"] == all[i]["name"]; });
    if (!known) {
      found.forbidden(place.at(i).child("name"), "only deletion is allowed, but found new scheduling gate '" +
                                                     std::string(all[i]["name"].string()) + "'");
    }
  }
}

bool check_images(Findings& found, const Tree& old, const Tree& updated, const Place& place) {
  if (old.size() != updated.size()) {
    found.forbidden(place, "pod updates may not add or remove containers");
    return false;
  }
  for (std::size_t i = 0; i < updated.elements().size(); ++i) {
    const std::string_view image = updated.elements()[i]["image"].string();
    if (image.empty()) found.required(place.at(i).child("image"));
    if (!image.empty() && (image.front() == ' ' || image.back() == ' ')) {
      found.invalid(place.at(i).child("image"), image, "must not have leading or trailing whitespace");
    }
  }
  return true;
}

void restore(Tree& spec, const Tree& old, std::string_view key) {
  if (const Tree* value = old.find(key)) {
    spec.set(key, *value);
  } else {
    spec.erase(key);
  }
}

void restore_images(Tree& spec, const Tree& old, std::string_view kind) {
  Tree* containers = spec.find(kind);
  if (containers == nullptr || !containers->is_array()) return;
  const Tree::Array& before = old[kind].elements();
  for (std::size_t i = 0; i < before.size(); ++i) containers->elements()[i].set("image", before[i]["image"]);
}

bool is_beginning(const Tree& shorter, const Tree& longer) {
  const Tree::Array &a = shorter.elements(), &b = longer.elements();
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
}

// Requirements may be added to each term, terms may not.
void check_pickier_affinity(Findings& found, const Tree& affinity, const Tree& old, const Place& place) {
  const Tree::Array& before =
      old.at({"requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"}).elements();
  const Tree& terms = affinity.at({"requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  if (before.empty()) return;
  const Place required = place.child("requiredDuringSchedulingIgnoredDuringExecution");
  const Place list = required.child("nodeSelectorTerms");
  if (before.size() != terms.elements().size())
    return found.invalid(list, terms,
                         "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Tree& term = terms.elements()[i];
    const auto says_nothing = [](const Tree& it) {
      return it["matchExpressions"].empty() && it["matchFields"].empty();
    };
    if (says_nothing(before[i]) ? says_nothing(term)
                                : is_beginning(before[i]["matchExpressions"], term["matchExpressions"]) &&
                                      is_beginning(before[i]["matchFields"], term["matchFields"]))
      continue;
    found.invalid(list.at(i), term, "only additions are allowed (no mutations or deletions)");
  }
}

// A pod that waits at a gate may become pickier.
void restore_of_gated(Findings& found, Tree& spec, const Tree& old, const Place& place) {
  if (old["schedulingGates"].empty()) return;
  for (const Tree::Member& label : old["nodeSelector"].members()) {
    if (!(std::as_const(spec)["nodeSelector"][label.key] == label.value)) {
      found.invalid(place.child("nodeSelector"), std::as_const(spec)["nodeSelector"],
                    "only additions are allowed (no mutations or deletions)");
      break;
    }
  }
  restore(spec, old, "nodeSelector");
  const Tree& before = old.at({"affinity", "nodeAffinity"});
  if (before == std::as_const(spec).at({"affinity", "nodeAffinity"})) return;
  const Place affinities = place.child("affinity");
  check_pickier_affinity(found, std::as_const(spec).at({"affinity", "nodeAffinity"}), before,
                         affinities.child("nodeAffinity"));
  Tree& affinity = spec.ensure("affinity");
  restore(affinity, old["affinity"], "nodeAffinity");
  if (affinity.empty() && !old.has("affinity")) spec.erase("affinity");
}

}  // namespace

void check_pod_spec(Findings& found, const Tree& spec, const Tree& metadata, const Place& place) {
  (void)metadata;
  const VolumeNames volumes = check_volumes(found, spec["volumes"], place.child("volumes"));
  check_containers(found, spec, volumes, place);
  if (const Tree* resources = spec.find("resources"); resources != nullptr) {
    check_resources(found, *resources, place.child("resources"));
  }
  check_host_network(found, spec, place);
  check_one_of(found, spec["restartPolicy"], place.child("restartPolicy"), {"Always", "OnFailure", "Never"});
  check_one_of(found, spec["dnsPolicy"], place.child("dnsPolicy"),
               {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  check_labels(found, spec["nodeSelector"], place.child("nodeSelector"));
  check_affinity(found, spec["affinity"], place.child("affinity"));
  check_gates(found, spec["schedulingGates"], place.child("schedulingGates"));
  check_spread(found, spec["topologySpreadConstraints"], place.child("topologySpreadConstraints"));
  for (std::string_view key : {"serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName"}) {
    const std::string_view name = spec[key].string();
    if (name.empty()) continue;
    for (const char* why : not_subdomain(name)) found.invalid(place.child(key), name, why);
  }
  if (const Tree& seconds = spec["activeDeadlineSeconds"]; !seconds.is_null()) {
    if (seconds.integer() < 1 || seconds.integer() > INT32_MAX) {
      found.invalid(place.child("activeDeadlineSeconds"), seconds,
                    "must be between 1 and 2147483647, inclusive");
    }
  }
  for (std::string_view key : {"hostname", "subdomain"}) {
    const std::string_view name = spec[key].string();
    if (name.empty()) continue;
    for (const char* why : not_label(name)) found.invalid(place.child(key), name, why);
  }
  check_tolerations(found, spec["tolerations"], place.child("tolerations"));
  check_preemption_policy(found, spec["preemptionPolicy"], place.child("preemptionPolicy"));
}

void check_pod(Findings& found, const Tree& pod) {
  check_pod_spec(found, pod["spec"], pod["metadata"], Place("spec"));
}

void check_new_pod(Findings& found, const Tree& pod) {
  check_pod(found, pod);
  const Place place("spec");
  const Tree& spec = pod["spec"];
  if (!spec["ephemeralContainers"].empty())
    found.forbidden(place.child("ephemeralContainers"), "cannot be set on create");
  if (!spec["nodeName"].string().empty() && !spec["schedulingGates"].empty())
    found.forbidden(place.child("nodeName"), "cannot be set until all schedulingGates have been cleared");
}

void check_template_metadata(Findings& found, const Tree& metadata, const Place& place) {
  check_labels(found, metadata["labels"], place.child("labels"));
  for (const Tree::Member& note : metadata["annotations"].members()) {
    std::string lower = note.key;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const char* why : not_qualified(lower)) found.invalid(place.child("annotations"), note.key, why);
  }
}

void check_template(Findings& found, const Tree& pod_template, const Place& place) {
  const Tree& metadata = pod_template["metadata"];
  check_template_metadata(found, metadata, place);
  check_pod_spec(found, pod_template["spec"], metadata, place.child("spec"));
}

namespace {

// Those that were there are not looked at again.
void check_own_addresses(Findings& found, const Tree::Array& before, const Tree::Array& addresses,
                         const Place& list) {
  bool readable = true;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const Tree& ip = addresses[i]["ip"];
    readable &= ip_family(ip.string()) != 0;
    const bool known =
        std::any_of(before.begin(), before.end(), [&](const Tree& each) { return each["ip"] == ip; });
    if (!known && ip_family(ip.string()) == 0) found.invalid(list.at(i), ip, "must be a valid IP address");
  }
  if (addresses.size() < 2 || !readable) return;
  if (addresses.size() > 2 ||
      ip_family(addresses[0]["ip"].string()) == ip_family(addresses[1]["ip"].string()))
    found.invalid(list, addresses.front(), "may specify no more than one IP for each IP family");
}

void check_pod_status(Findings& found, const Tree& old, const Tree& updated) {
  const Place place("status");
  const Tree& status = updated["status"];
  const Place list = place.child("conditions");
  const Tree::Array& conditions = status["conditions"].elements();
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const Place at = list.at(i);
    if (const Tree& seen = conditions[i]["observedGeneration"]; seen.integer() < 0)
      found.invalid(at.child("observedGeneration"), seen, "must be a non-negative integer");
    const Tree& type = conditions[i]["type"];
    // The real server spells it so.
    for (const char* why : not_qualified(type.string())) found.invalid(at.child("Type"), type, why);
  }
  if (!(old.at({"spec", "nodeName"}) == updated.at({"spec", "nodeName"})))
    found.forbidden(place.child("nodeName"), "may not be changed directly");
  const Tree::Array& hosts = status["hostIPs"].elements();
  if (!hosts.empty() && !(hosts.front()["ip"] == status["hostIP"])) {
    const Place all = place.child("hostIPs"), first = all.at(0);
    found.invalid(first.child("ip"), hosts.front()["ip"], "must be equal to `hostIP`");
  }
  check_own_addresses(found, old["status"]["podIPs"].elements(), status["podIPs"].elements(),
                      place.child("podIPs"));
  check_own_addresses(found, old["status"]["hostIPs"].elements(), hosts, place.child("hostIPs"));
}

}  // namespace

void check_pod_update(Findings& found, const Tree& old, const Tree& updated, std::string_view subresource) {
  const Place place("spec");
  if (subresource == "status") return check_pod_status(found, old, updated);
  check_pod(found, updated);
  const Tree& before = old["spec"];
  const Tree& after = updated["spec"];
  if (!check_images(found, before["containers"], after["containers"], place.child("containers"))) return;
  if (!check_images(found, before["initContainers"], after["initContainers"], place.child("initContainers")))
    return;
  const Tree& deadline = after["activeDeadlineSeconds"];
  const Tree& earlier = before["activeDeadlineSeconds"];
  if (!deadline.is_null()) {
    if (deadline.integer() < 0 || deadline.integer() > INT32_MAX)
      return found.invalid(place.child("activeDeadlineSeconds"), deadline,
                           "must be between 0 and 2147483647, inclusive");
    if (!earlier.is_null() && earlier.integer() < deadline.integer()) {
      return found.invalid(place.child("activeDeadlineSeconds"), deadline,
                           "must be less than or equal to previous value");
    }
  } else if (!earlier.is_null()) {
    found.invalid(place.child("activeDeadlineSeconds"), deadline,
                  "must not update from a positive integer to nil value");
  }
  check_only_more_tolerations(found, before["tolerations"], after["tolerations"], place.child("tolerations"));
  check_only_fewer_gates(found, before["schedulingGates"], after["schedulingGates"],
                         place.child("schedulingGates"));
  if (before == after) return;
  Tree rest = after;
  restore_images(rest, before, "containers");
  restore_images(rest, before, "initContainers");
  for (std::string_view key : {"activeDeadlineSeconds", "schedulingGates", "tolerations"})
    restore(rest, before, key);
  if (before["terminationGracePeriodSeconds"].integer() < 0 &&
      rest["terminationGracePeriodSeconds"].integer() == 1) {
    restore(rest, before, "terminationGracePeriodSeconds");
  }
  restore_of_gated(found, rest, before, place);
  if (rest == before) return;
  found.forbidden(
      place,
      "pod updates may not change fields other than "
      "`spec.containers[*].image`,`spec.initContainers[*].image`,"
      "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
      "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)");
}

}  // namespace tamp::world::api
