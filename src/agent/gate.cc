#include "agent/gate.h"

#include <utility>

namespace tamp::agent {
namespace {

std::string body_of(int status) {
  switch (status) {
    case 401:
      return "who are you? a bearer token or a client certificate is needed\n";
    case 403:
      return "not allowed: the right to get this path is missing\n";
    case 429:
      return "too many requests\n";
    default:
      return "who you are cannot be found out now\n";
  }
}

}  // namespace

Gate::Gate(net::Loop& loop, net::CallerAccess* access, GateOptions options)
    : loop_(loop),
      access_(access),
      options_(std::move(options)),
      known_(options_.known_rate, options_.known_burst, loop.instant()),
      strangers_(options_.stranger_rate, options_.stranger_burst, loop.instant()) {}

net::HttpResponse Gate::refusal(int status) {
  for (std::size_t i = 0; i < kRefusals.size(); ++i)
    if (kRefusals[i] == status) ++refused_[i];
  net::HttpResponse response{.status = status, .body = body_of(status)};
  if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer realm=\"tamp-agent\"");
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

void Gate::ask(const net::HttpRequest& request, Verdict verdict) {
  const auto& name = request.certified_name;
  const bool certified = name && (options_.client_name.empty() || *name == options_.client_name);
  const bool known = options_.anybody || certified ||
                     (access_ != nullptr && access_->knows(request.authorization, request.path));
  if (!(known ? known_ : strangers_).take(loop_.instant())) return verdict(refusal(429));
  if (known) return verdict(std::nullopt);
  if (access_ == nullptr || (name && request.authorization.empty()))
    return verdict(refusal(name ? 403 : 401));
  access_->ask(request.authorization, request.path,
               [this, verdict = std::move(verdict)](net::AccessDecision access) {
                 switch (access) {
                   case net::AccessDecision::Allowed:
                     return verdict(std::nullopt);
                   case net::AccessDecision::Unauthenticated:
                     return verdict(refusal(401));
                   case net::AccessDecision::Forbidden:
                     return verdict(refusal(403));
                   case net::AccessDecision::Unknown:
                     return verdict(refusal(503));
                 }
               });
}

}  // namespace tamp::agent
