#include "wire/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/ascii.h"
#include "wire/disruption.h"
#include "wire/metadata.h"
#include "wire/selector.h"

namespace tamp::wire {
namespace {

PoolRequirement decode_pool_requirement(Decoder& d, Value item) {
  PoolRequirement result;
  result.requirement = decode_requirement(d, item);
  result.min_values = d.integer32(item, "minValues", 1);
  if (d.failed() || result.requirement.op < SelectorOp::Gt) return result;
  const std::string_view bound = d.cluster().text(result.requirement.values.front());
  if (bound.empty() || bound.size() > 18 || !all_digits(bound))
    d.fail(item.get("values"),
           fmt::format("is \"{}\", must be one whole number that is not negative", bound));
  return result;
}

void decode_limits(Decoder& d, Value spec, NodePool& pool) {
  const Value limits = d.object(spec, "limits");
  pool.has_limits = limits.present();
  for (const Field field : limits.fields()) {
    const auto amount = d.quantity(field.value);
    if (!amount || d.failed()) continue;
    if (field.key == "nodes") {
      pool.node_limit = amount->units();
    } else {
      const ResourceId id = d.resource(field);
      pool.limits.set(id, id == kCpu ? amount->millis() : amount->units());
    }
  }
}

void decode_node_class(Decoder& d, Value spec, NodePool& pool) {
  const Value reference = d.object(spec, "nodeClassRef");
  if (!reference.present()) return;
  const std::string kind = lower(d.text(reference, "kind"));
  pool.node_class_label = d.intern(fmt::format("{}/{}", d.text(reference, "group"), kind));
  pool.node_class_name = d.symbol(reference, "name");
}

}  // namespace

void decode_node_pool(Decoder& d, Symbol name) {
  const Value metadata = d.object(d.root(), "metadata");
  const Value spec = d.object(d.root(), "spec");
  const Value node_template = d.object(spec, "template");
  const Value template_spec = d.object(node_template, "spec");

  NodePool pool;
  pool.name = name;
  pool.uid = d.symbol(metadata, "uid");
  pool.has_object = true;
  pool.deleted = d.time(metadata, "deletionTimestamp");
  pool.weight = d.integer32(spec, "weight", 0).value_or(0);
  pool.replicas = d.integer(spec, "replicas", 0);
  pool.template_labels = d.labels(d.object(node_template, "metadata"), "labels");
  decode_node_class(d, template_spec, pool);
  pool.taints = decode_taints(d, template_spec, "taints");
  pool.startup_taints = decode_taints(d, template_spec, "startupTaints");
  for (const Value item : d.objects(template_spec, "requirements"))
    pool.requirements.push_back(decode_pool_requirement(d, item));
  decode_limits(d, spec, pool);
  pool.disruption = decode_disruption(d, spec, "disruption");
  pool.ready = decode_condition(d, d.object(d.root(), "status"), "Ready");
  d.cluster().pools.push_back(std::move(pool));
}

}  // namespace tamp::wire
