#include "fuzz/store_targets.h"

#include <string>

#include "fuzz/check_cluster.h"
#include "fuzz/require.h"
#include "store/store.h"
#include "wire/dump.h"
#include "wire/snapshot.h"
#include "wire/value.h"

namespace tamp::fuzz {
namespace {

// 'a' is the first kind.
wire::ObjectKind kind_of(char letter) {
  return static_cast<wire::ObjectKind>(static_cast<unsigned char>(letter - 'a') % wire::kObjectKinds);
}

void step(store::ClusterStore& store, std::string_view line) {
  const wire::ObjectKind kind = kind_of(line[0]);
  const char what = line[1];
  std::string bytes(line.substr(2));
  if (what == 'e') {
    const auto before = store.generation();
    const auto event = store.apply_event(kind, std::move(bytes));
    if (!event) require(!event.error().message.empty(), "an error has a message");
    require(event || store.generation() == before, "what is refused changes nothing");
  }
  if (what == 'p') {
    const auto before = store.generation();
    const auto page = store.add_page(kind, std::move(bytes));
    if (!page) require(!page.error().message.empty(), "an error has a message");
    require(store.generation() == before, "a list takes effect when it ends");
  }
  if (what == 'b') store.begin_list(kind);
  if (what == 'x') store.end_list(kind);
  if (what == 'f') store.forget_kind(kind);
  if (what == 'c') store.compact();
}

std::string written(const wire::Dump& dump) {
  std::string text;
  require(dump.write([&](std::string_view piece) { text += piece; }).ok(), "a dump can be written");
  return text;
}

bool reads(std::string objects) {
  wire::Inputs inputs;
  inputs.objects.push_back({"dump", std::move(objects)});
  return wire::read_snapshot(inputs).ok();
}

}  // namespace

void store(std::string_view bytes) {
  store::ClusterStore store;
  while (!bytes.empty()) {
    const auto end = std::min(bytes.find('\n'), bytes.size());
    if (end >= 2) step(store, bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  const wire::Reading before = store.view();
  std::string problem = testing::check_cluster(before.cluster);
  require(problem.empty(), problem);
  store.compact();
  const wire::Reading after = store.view();
  problem = testing::check_cluster(after.cluster);
  require(problem.empty(), problem);
  require(before.cluster.pods.size() == after.cluster.pods.size() &&
              before.cluster.pod_specs.size() == after.cluster.pod_specs.size() &&
              before.warnings == after.warnings,
          "compaction changes nothing");
  for (const auto& object : store.unreadable())
    require(!object.name.empty() && !object.message.empty(), "what is unreadable has a name and an error");
}

void dump(std::string_view bytes) {
  if (bytes.empty()) return;
  const wire::ObjectKind kind = kind_of(bytes[0]);
  wire::Dump plain, masked({.mask = true});
  const auto page = plain.add_page(kind, std::string(bytes.substr(1)));
  if (!page) return require(!page.error().message.empty(), "an error has a message");
  require(masked.add_page(kind, std::string(bytes.substr(1))).ok(), "masking comes later");
  const std::string text = written(plain), other = written(masked);
  require(wire::Json::parse(text).ok() && wire::Json::parse(other).ok(), "a dump is JSON");
  if (reads(text)) require(reads(other), "a masked dump reads as well");
}

}  // namespace tamp::fuzz
