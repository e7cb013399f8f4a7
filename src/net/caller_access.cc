#include "net/caller_access.h"

#include <algorithm>
#include <utility>

#include "core/ascii.h"
#include "core/sha256.h"

namespace tamp::net {
namespace {

constexpr std::string_view kScheme = "bearer ";

bool meant_for_us(const std::vector<std::string>& ours, const std::vector<std::string>& theirs) {
  // An API server that does not know audiences names none: then nobody has looked at them.
  return ours.empty() || std::any_of(theirs.begin(), theirs.end(), [&](const std::string& audience) {
           return std::find(ours.begin(), ours.end(), audience) != ours.end();
         });
}

std::string key_of(std::string_view token, const std::string& path) { return path + " " + sha256_hex(token); }

}  // namespace

std::string_view bearer_token(std::string_view authorization) {
  if (authorization.size() <= kScheme.size()) return {};
  for (std::size_t i = 0; i < kScheme.size(); ++i)
    if (lower(authorization[i]) != kScheme[i]) return {};
  const std::string_view token = authorization.substr(kScheme.size());
  // As a header may carry it; anything else is no token of Kubernetes.
  const bool sound = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7F; });
  return sound ? token : std::string_view();
}

CallerAccess::CallerAccess(net::Loop& loop, net::Client& client, CallerAccessOptions options)
    : loop_(loop), client_(client), options_(std::move(options)) {}

const CallerAccess::Kept* CallerAccess::find(const Key& key) {
  const auto now = loop_.instant();
  for (const auto* kept : {&allowed_, &refused_})
    if (const auto it = kept->find(key); it != kept->end() && it->second.until > now) return &it->second;
  return nullptr;
}

bool CallerAccess::knows(std::string_view authorization, const std::string& path) {
  const std::string_view token = bearer_token(authorization);
  if (token.empty() || token.size() > options_.longest_token) return false;
  const Kept* kept = find(key_of(token, path));
  return kept != nullptr && kept->access == AccessDecision::Allowed;
}

void CallerAccess::ask(std::string_view authorization, const std::string& path, Answer answer) {
  const std::string_view token = bearer_token(authorization);
  if (token.empty() || token.size() > options_.longest_token) return answer(AccessDecision::Unauthenticated);
  const Key key = key_of(token, path);
  if (const Kept* kept = find(key)) return answer(kept->access);
  if (const auto it = questions_.find(key); it != questions_.end()) {
    if (it->second.waiting.size() >= options_.most_waiting) return answer(AccessDecision::Unknown);
    it->second.waiting.push_back(std::move(answer));
    return;
  }
  if (questions_.size() >= options_.most_asked) return answer(AccessDecision::Unknown);
  Question& question = questions_[key];
  question.path = path;
  question.waiting.push_back(std::move(answer));
  question.under_way = client_.review(net::kTokenReviews, wire::write_token_review(token, options_.audiences),
                                      [this, key](net::Reply reply) { got_caller(key, reply); });
}

void CallerAccess::got_caller(const Key& key, const net::Reply& reply) {
  if (!reply.ok()) return settle(key, AccessDecision::Unknown);
  const auto verdict = wire::read_token_review(reply.body);
  if (!verdict) return settle(key, AccessDecision::Unknown);
  if (!verdict->authenticated || !meant_for_us(options_.audiences, verdict->audiences))
    return settle(key, AccessDecision::Unauthenticated);
  Question& question = questions_.at(key);
  question.under_way = client_.review(
      net::kSubjectAccessReviews, wire::write_path_review(verdict->caller, question.path, "get"),
      [this, key](net::Reply answer) {
        const auto allowed = answer.ok() ? wire::read_access_review(answer.body) : Error{"no answer"};
        settle(key, !allowed   ? AccessDecision::Unknown
                    : *allowed ? AccessDecision::Allowed
                               : AccessDecision::Forbidden);
      });
}

void CallerAccess::settle(const Key& key, AccessDecision access) {
  auto question = questions_.extract(key);
  if (access != AccessDecision::Unknown) keep(key, access);
  for (const Answer& answer : question.mapped().waiting) answer(access);
}

void CallerAccess::keep(const Key& key, AccessDecision access) {
  const bool allowed = access == AccessDecision::Allowed;
  auto& kept = allowed ? allowed_ : refused_;
  (allowed ? refused_ : allowed_).erase(key);
  const auto now = loop_.instant();
  kept[key] = {access, now + (allowed ? options_.keep_allowed : options_.keep_refused)};
  if (kept.size() <= options_.most_kept) return;
  std::erase_if(kept, [&](const auto& entry) { return entry.second.until <= now; });
  if (kept.size() <= options_.most_kept) return;
  kept.erase(std::min_element(kept.begin(), kept.end(),
                              [](const auto& a, const auto& b) { return a.second.until < b.second.until; }));
}

}  // namespace tamp::net
