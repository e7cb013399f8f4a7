#include "controller/webhook.h"

#include <string_view>
#include <utility>

#include "documents/run_review.h"
#include "wire/admission.h"

namespace tamp::controller {
namespace {

using documents::Review;
using wire::AdmissionOperation;
using wire::AdmissionRequest;

Review refusal(const Error& error) { return {{error.message}, {}}; }

Review review_policy(const AdmissionRequest& request, const documents::ClusterFacts* facts) {
  Review review =
      *request.policy ? documents::review_policy(**request.policy, facts) : refusal(request.policy->error());
  // What is stored already stays as it is: annotations (the pause above all) and labels must not depend on it.
  if (!request.spec_changed) {
    for (std::string& text : review.refusals) review.warnings.push_back(std::move(text));
    review.refusals.clear();
  }
  return review;
}

Review review_run(const AdmissionRequest& request, bool stamped) {
  if (request.operation == AdmissionOperation::Update)
    return documents::review_changed_run(request.spec_changed);
  if (!*request.run) return refusal(request.run->error());
  return stamped ? documents::review_stamped_run(**request.run, request.username)
                 : documents::review_new_run(**request.run, request.username);
}

wire::AdmissionAnswer judge(const AdmissionRequest& request, bool mutate,
                            const documents::ClusterFacts* facts) {
  wire::AdmissionAnswer answer;
  answer.uid = request.uid;
  // Status is ours to write, and what is on its way out must be able to go.
  if (!request.subresource.empty() || request.deleting) return answer;

  Review review;
  if (request.policy && !mutate) review = review_policy(request, facts);
  if (request.run) {
    review = review_run(request, !mutate);
    if (mutate && review.refusals.empty() && request.operation == AdmissionOperation::Create &&
        !(*request.run)->approved_by)
      answer.approver = request.username;
  }
  answer.allowed = review.refusals.empty();
  answer.code = review.forbidden ? 403 : 422;
  answer.warnings = std::move(review.warnings);
  for (const std::string& text : review.refusals) {
    if (!answer.message.empty()) answer.message += "; ";
    answer.message += text;
  }
  return answer;
}

net::HttpResponse plain(int status, std::string text) {
  return {status, "text/plain; charset=utf-8", std::move(text) + "\n"};
}

}  // namespace

net::HttpResponse Webhook::answer(const net::HttpRequest& request) const {
  const bool mutate = request.path == "/mutate";
  if (!mutate && request.path != "/validate") return plain(404, "not found");
  if (request.method != "POST") {
    net::HttpResponse response = plain(405, "only POST");
    response.headers.emplace_back("Allow", "POST");
    return response;
  }
  if (!request.content_type.starts_with("application/json")) return plain(415, "only application/json");

  const auto review = wire::decode_admission(request.body);
  if (!review) return plain(400, review.error().message);
  const auto known = facts ? facts() : nullptr;
  const wire::AdmissionAnswer verdict = judge(*review, mutate, known.get());
  if (answered) answered(verdict.allowed);
  return {200, "application/json", wire::encode_admission(verdict)};
}

}  // namespace tamp::controller
