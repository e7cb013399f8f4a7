// Who holds this token, and what may they do with Tamp? Asked of the API server: TokenReview, then a SubjectAccessReview for each
// right. What cannot be asked is not allowed.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "dashboard/sessions.h"
#include "net/client.h"

namespace tamp::dashboard {

struct KnownUser {
  enum class State : std::uint8_t {
    Known,
    Unauthenticated,  // nobody's token
    Unknown,          // the API server was not reached or did not answer sensibly, or too many ask at once
  };
  State state = State::Unknown;
  wire::Caller caller;
  Rights rights;
};

class UserRights {
 public:
  explicit UserRights(net::Client& client, std::size_t most_asked = 16)
      : client_(client), most_(most_asked) {}
  UserRights(const UserRights&) = delete;
  UserRights& operator=(const UserRights&) = delete;

  // Answers once, on the loop; at once if it cannot be asked.
  void ask(const std::string& token, std::function<void(const KnownUser&)> done);

 private:
  static constexpr std::size_t kQuestions = 5;
  struct Question {
    std::function<void(const KnownUser&)> done;
    KnownUser user;
    std::array<bool, kQuestions> allowed = {};
    std::size_t open = kQuestions;
    bool failed = false;
    net::Pending review;
    std::array<net::Pending, kQuestions> access;
  };

  void got_user(std::uint64_t id, const net::Reply& reply);
  void got_access(std::uint64_t id, std::size_t which, const net::Reply& reply);
  void settle(std::uint64_t id);

  net::Client& client_;
  std::size_t most_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Question> questions_;
};

}  // namespace tamp::dashboard
