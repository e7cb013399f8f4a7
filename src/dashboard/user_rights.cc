#include "dashboard/user_rights.h"

#include <string_view>
#include <utility>

namespace tamp::dashboard {
namespace {

constexpr std::size_t kLongestToken = 16384;

struct Wanted {
  std::string_view verb;
  net::ResourceType type;
  std::string_view name;
};
// In the order of Question::allowed.
constexpr Wanted kWanted[] = {
    {"get", net::kTemperPolicies, "default"},   {"list", net::kConsolidationRuns, ""},
    {"create", net::kConsolidationRuns, ""},    {"patch", net::kConsolidationRuns, ""},
    {"patch", net::kTemperPolicies, "default"},
};

}  // namespace

void UserRights::ask(const std::string& token, std::function<void(const KnownUser&)> done) {
  KnownUser none;
  if (token.empty() || token.size() > kLongestToken) {
    none.state = KnownUser::State::Unauthenticated;
    return done(none);
  }
  if (questions_.size() >= most_) return done(none);
  const std::uint64_t id = next_++;
  Question& question = questions_[id];
  question.done = std::move(done);
  question.review = client_.review(net::kTokenReviews, wire::write_token_review(token, {}),
                                   [this, id](const net::Reply& reply) { got_user(id, reply); });
}

void UserRights::got_user(std::uint64_t id, const net::Reply& reply) {
  Question& question = questions_.at(id);
  const auto verdict = reply.ok() ? wire::read_token_review(reply.body) : Error{"no answer"};
  if (!verdict) return settle(id);
  if (!verdict->authenticated) {
    question.user.state = KnownUser::State::Unauthenticated;
    return settle(id);
  }
  question.user.caller = verdict->caller;
  for (std::size_t i = 0; i < kQuestions; ++i) {
    const Wanted& wanted = kWanted[i];
    question.access[i] =
        client_.review(net::kSubjectAccessReviews,
                       wire::write_resource_review(question.user.caller, wanted.verb, wanted.type.group,
                                                   wanted.type.plural, wanted.name),
                       [this, id, i](const net::Reply& answer) { got_access(id, i, answer); });
  }
}

void UserRights::got_access(std::uint64_t id, std::size_t which, const net::Reply& reply) {
  Question& question = questions_.at(id);
  const auto allowed = reply.ok() ? wire::read_access_review(reply.body) : Error{"no answer"};
  question.failed |= !allowed.ok();
  question.allowed[which] = allowed.ok() && *allowed;
  if (--question.open > 0) return;
  if (!question.failed) {
    question.user.state = KnownUser::State::Known;
    const auto& yes = question.allowed;
    question.user.rights = {yes[0] && yes[1], yes[2], yes[3], yes[4]};
  }
  settle(id);
}

void UserRights::settle(std::uint64_t id) {
  auto question = questions_.extract(id);
  question.mapped().done(question.mapped().user);
}

}  // namespace tamp::dashboard
