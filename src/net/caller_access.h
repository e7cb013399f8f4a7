// May whoever sent this request read this path? Asked of the API server: who holds the bearer token (TokenReview), and has that
// account the right to get the path, which is no resource (SubjectAccessReview). So access is given and taken by RBAC alone.
//
// What cannot be asked is not allowed. Answers are kept for a short time; how many, and how many questions are under way at once,
// is bounded, so that a flood of made-up tokens costs the API server little, and those that were allowed are not pushed out by it.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "net/client.h"
#include "net/loop.h"
#include "wire/access_review.h"

namespace tamp::net {

enum class AccessDecision : std::uint8_t {
  Allowed,
  Unauthenticated,  // no token, or one that nobody holds: 401
  Forbidden,        // known, without the right: 403
  Unknown,          // the API server was not reached, did not answer sensibly, or too many ask at once: 503
};

struct CallerAccessOptions {
  // Tokens must be meant for one of these; empty: for the API server.
  std::vector<std::string> audiences;
  Duration keep_allowed = Duration::seconds(60);
  Duration keep_refused = Duration::seconds(10);
  std::size_t most_kept = 64;        // of those that were allowed, and of those that were refused
  std::size_t most_asked = 8;        // questions under way
  std::size_t most_waiting = 32;     // for the same answer
  std::size_t longest_token = 8192;  // bytes
};

class CallerAccess {
 public:
  using Answer = std::function<void(AccessDecision)>;

  // `client` is for these questions alone: its rate is the rate of questions.
  CallerAccess(net::Loop& loop, net::Client& client, CallerAccessOptions options = {});

  // `authorization` is the header. The answer comes on the loop, at once if it is known.
  void ask(std::string_view authorization, const std::string& path, Answer answer);
  // Was this allowed lately? Asks nobody.
  bool knows(std::string_view authorization, const std::string& path);

 private:
  using Key = std::string;  // path, and the token's hash: tokens are not kept
  struct Kept {
    AccessDecision access = AccessDecision::Unknown;
    net::Instant until;
  };
  struct Question {
    std::string path;
    std::vector<Answer> waiting;
    net::Pending under_way;
  };

  const Kept* find(const Key& key);
  void keep(const Key& key, AccessDecision access);
  void got_caller(const Key& key, const net::Reply& reply);
  void settle(const Key& key, AccessDecision access);

  net::Loop& loop_;
  net::Client& client_;
  CallerAccessOptions options_;
  std::map<Key, Kept> allowed_, refused_;
  std::map<Key, Question> questions_;
};

// The token of "Bearer TOKEN"; empty if there is none.
std::string_view bearer_token(std::string_view authorization);

}  // namespace tamp::net
