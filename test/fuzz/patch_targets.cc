#include "fuzz/patch_targets.h"

#include <string>

#include "fuzz/require.h"
#include "sim/api/managed_fields.h"
#include "sim/api/patch.h"
#include "sim/api/structured.h"

namespace tamp::fuzz {
namespace {

using namespace world::api;

constexpr Time kNow{1'794'700'800'000'000'000};

void check(const PatchOutcome& outcome) {
  require(outcome.ok() || outcome.code == 400 || outcome.code == 413 || outcome.code == 422 ||
              outcome.code == 500,
          "an answer of an API server");
  require(outcome.ok() || !outcome.message.empty(), "an error has a message");
}

void merge_patch(const Tree& object, const Tree& change) {
  const Tree once = apply_merge_patch(object, change);
  require(apply_merge_patch(once, change) == once, "a merge patch changes nothing the second time");
  check(apply_object_merge_patch(object, change));
}

void server_side(const Tree& object, const Tree& change, const Schema* schema) {
  Tree live = object;
  track_update(nullptr, live, "one", "", "v1", kNow, schema);
  Tree applied = change;
  if (applied.is_object()) applied.set("apiVersion", "v1");
  for (bool force : {false, true}) {
    ApplyOutcome outcome = server_side_apply(&live, applied, "two", force, "", "v1", kNow, schema);
    require(outcome.ok() || !outcome.message.empty(), "an error has a message");
    require(!force || outcome.code != 409, "force has no conflicts");
    require(outcome.code != 409 || !outcome.causes.empty(), "a conflict has causes");
    if (!outcome.ok()) continue;
    const Tree again =
        server_side_apply(&outcome.result, applied, "two", false, "", "v1", kNow, schema).result;
    require(again["metadata"]["managedFields"] == outcome.result["metadata"]["managedFields"],
            "who applies the same again owns the same");
  }
}

}  // namespace

void patch(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  auto object = wire::read_tree(std::string(bytes.substr(0, end)));
  auto change = wire::read_tree(std::string(bytes.substr(std::min(end + 1, bytes.size()))));
  if (!object || !change || !object->is_object()) return;
  const Schema* pod = find_schema("", "v1", "Pod");
  check(apply_json_patch(*object, *change));
  merge_patch(*object, *change);
  check(apply_strategic_patch(*object, *change, pod));
  // The server only stores objects that fit their schema.
  if (type_errors(*object, *pod, true).empty()) server_side(*object, *change, pod);
  server_side(*object, *change, nullptr);
}

}  // namespace tamp::fuzz
