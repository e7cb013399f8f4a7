// admission.k8s.io/v1: what the API server asks before it stores one of our objects, and what it is told. Bytes in and out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/policy.h"
#include "core/result.h"
#include "core/run.h"

namespace tamp::wire {

enum class AdmissionOperation : std::uint8_t { Create, Update, Delete, Connect };

struct AdmissionRequest {
  std::string uid;
  AdmissionOperation operation = AdmissionOperation::Create;
  std::string group, kind;  // "temper.codes", "TemperPolicy"
  std::string subresource;  // "status"; empty for the object itself
  std::string name;         // empty while the API server has yet to make one
  std::string username;     // as authenticated
  std::vector<std::string> groups;
  // The object is on its way out: only finalizers and the like change any more.
  bool deleting = false;
  // An update that leaves `spec` as it is changes labels, annotations or the like alone. True for everything but updates.
  bool spec_changed = true;
  // The object by its kind, or why it cannot be read; none for a deletion and for other kinds.
  std::optional<Result<TemperPolicy>> policy;
  std::optional<Result<RunSpec>> run;
};

// An error means that there is nobody to answer: no review, no request or no uid.
Result<AdmissionRequest> decode_admission(const std::string& bytes);

struct AdmissionAnswer {
  std::string uid;
  bool allowed = true;
  // Of a refusal.
  int code = 422;
  std::string message;
  // Shown to whoever wrote the object. The API server cuts long ones off, so they are cut here, at the end of a letter.
  std::vector<std::string> warnings;
  // Stamps spec.approvedBy, if it is not there yet. REQUIRES: the object has a spec.
  std::optional<std::string> approver;
};

std::string encode_admission(const AdmissionAnswer& answer);

}  // namespace tamp::wire
