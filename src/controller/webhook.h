// The admission webhook over HTTP: /mutate stamps the approver into a ConsolidationRun, /validate refuses what the schema
// cannot see and warns of what is unwise. The rules are in decide (policy_review.h, run_review.h), the format in
// wire/admission.h; this only joins them.
#pragma once

#include <functional>
#include <memory>

#include "documents/policy_review.h"
#include "net/http_server.h"

namespace tamp::controller {

struct Webhook {
  // What the rules need to know of the cluster; null until it is known, then rules that need it stay silent. Called on
  // threads of the server.
  std::function<std::shared_ptr<const documents::ClusterFacts>()> facts;
  // Told of every review that was answered. May be null.
  std::function<void(bool allowed)> answered;

  // 200 with an AdmissionReview, whether it allows or not; 400 for what is no review, 404, 405 and 415 as usual.
  net::HttpResponse answer(const net::HttpRequest& request) const;
};

}  // namespace tamp::controller
