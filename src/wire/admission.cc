#include "wire/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/json_writer.h"
#include "wire/base64.h"
#include "wire/decoder.h"
#include "wire/policy.h"
#include "wire/same_content.h"

namespace tamp::wire {
namespace {

constexpr std::string_view kVersion = "admission.k8s.io/v1";
// What an API server passes on: 256 bytes of one warning, 4096 of all.
constexpr std::size_t kMaxWarning = 256, kMaxWarnings = 16;
// A refusal is read by a person; it may quote what was written, which may be long.
constexpr std::size_t kMaxMessage = 4096;

constexpr Words<AdmissionOperation> kOperations[] = {{"CREATE", AdmissionOperation::Create},
                                                     {"UPDATE", AdmissionOperation::Update},
                                                     {"DELETE", AdmissionOperation::Delete},
                                                     {"CONNECT", AdmissionOperation::Connect}};

Result<TemperPolicy> read_policy(Value object, std::string_view name) {
  Cluster scratch;
  Decoder d(scratch, object);
  TemperPolicy policy = decode_policy(d, name);
  if (d.failed()) return d.error();
  return policy;
}

Result<RunSpec> read_run(Value object) {
  Cluster scratch;
  Decoder d(scratch, object);
  const Value spec = d.object(object, "spec");
  RunSpec run;
  if (!spec.present()) d.fail(object, "is missing", "spec");
  run.plan_hash = d.text(spec, "planHash");
  if (spec.get("approvedBy").present()) run.approved_by = d.text(spec, "approvedBy");
  if (d.failed()) return d.error();
  return run;
}

// At most `most` bytes, and no half letter at the end.
std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0u) == 0x80u) --most;
  return text.substr(0, most);
}

std::string approver_patch(std::string_view approver) {
  JsonWriter w;
  w.begin_array().begin_object();
  w.field("op", "add").field("path", "/spec/approvedBy").field("value", approver);
  w.end_object().end_array();
  return w.take();
}

}  // namespace

Result<AdmissionRequest> decode_admission(const std::string& bytes) {
  TAMP_TRY(const Json json, Json::parse(bytes));
  const Value root = json.root();
  Cluster scratch;
  Decoder d(scratch, root);
  if (d.text(root, "apiVersion") != kVersion || d.text(root, "kind") != "AdmissionReview")
    return Error{fmt::format("not an AdmissionReview of {}", kVersion)};
  const Value request = d.object(root, "request");
  if (!request.present()) return Error{"request: is missing"};

  AdmissionRequest out;
  out.uid = d.text(request, "uid");
  if (out.uid.empty()) d.fail(request, "is missing", "uid");
  out.operation = d.word<AdmissionOperation>(request, "operation", kOperations, std::nullopt);
  const Value kind = d.object(request, "kind");
  out.group = d.text(kind, "group");
  out.kind = d.text(kind, "kind");
  out.subresource = d.text(request, "subResource");
  out.name = d.text(request, "name");
  const Value user = d.object(request, "userInfo");
  out.username = d.text(user, "username");
  for (const Value group : d.list(user, "groups")) {
    if (const auto name = group.string())
      out.groups.emplace_back(*name);
    else
      d.fail(group, "must be a text");
  }
  const Value object = d.object(request, "object"), old = d.object(request, "oldObject");
  if (d.failed()) return d.error();

  out.deleting = object.get("metadata").get("deletionTimestamp").present();
  out.spec_changed =
      out.operation != AdmissionOperation::Update || !same_content(object.get("spec"), old.get("spec"));
  if (out.group != "temper.codes" || out.operation == AdmissionOperation::Delete) return out;
  if (out.kind == "TemperPolicy") out.policy = read_policy(object, out.name);
  if (out.kind == "ConsolidationRun") out.run = read_run(object);
  return out;
}

std::string encode_admission(const AdmissionAnswer& answer) {
  JsonWriter w;
  w.begin_object();
  w.field("apiVersion", kVersion).field("kind", "AdmissionReview");
  w.key("response").begin_object();
  w.field("uid", answer.uid).field("allowed", answer.allowed);
  if (!answer.allowed) {
    w.key("status").begin_object();
    w.field("status", "Failure").field("message", cut(answer.message, kMaxMessage));
    w.field("reason", answer.code == 403 ? "Forbidden" : "Invalid").field("code", answer.code);
    w.end_object();
  }
  if (!answer.warnings.empty()) {
    w.key("warnings").begin_array();
    for (std::size_t i = 0; i < std::min(answer.warnings.size(), kMaxWarnings); ++i)
      w.string(cut(answer.warnings[i], kMaxWarning));
    w.end_array();
  }
  if (answer.allowed && answer.approver)
    w.field("patchType", "JSONPatch").field("patch", encode_base64(approver_patch(*answer.approver)));
  w.end_object().end_object();
  return w.take();
}

}  // namespace tamp::wire
