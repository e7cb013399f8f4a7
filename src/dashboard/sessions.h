// Who is logged in to the dashboard: sessions by cookie, and by bearer token for programs. A session holds the user's token in memory,
// since what its user does is done with the user's own rights; it is written nowhere, and what others see of it (cookie, CSRF
// token) are random numbers of their own.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.h"
#include "net/loop.h"
#include "wire/access_review.h"

namespace tamp::dashboard {

// By the cluster's own rules.
struct Rights {
  bool view = false;     // get temperpolicies, list consolidationruns
  bool approve = false;  // create consolidationruns
  bool abort = false;    // patch consolidationruns
  bool pause = false;    // patch temperpolicies
  bool operator==(const Rights&) const = default;
};

// A value: what is true of a session now.
struct Session {
  wire::Caller caller;
  Rights rights;
  std::string token;    // of the cluster
  std::string csrf;     // what a page must show to change something
  bool cookie = false;  // sent by browsers without being asked: needs the CSRF token
};

struct SessionOptions {
  std::size_t most = 256;                       // the one unused longest goes
  Duration life = Duration::hours(12);          // from login
  Duration idle = Duration::hours(1);           // without a request
  Duration trusted = Duration::seconds(15);     // then rights are asked for again
  double requests_per_second = 20, burst = 80;  // of one session
};

class Sessions {
 public:
  using Clock = std::function<net::Instant()>;
  // `random`: 32 hexadecimal digits or more that nobody can guess.
  Sessions(SessionOptions options, Clock clock, std::function<std::string()> random);

  // The id, for the cookie.
  std::string open(Session session);
  // A program's, which shows its token each time.
  void open_by_token(const std::string& token, Session session);

  enum class State { None, Fresh, Stale, TooFast };  // Stale: its rights are to be asked for again
  struct Found {
    State state = State::None;
    Session session;
  };
  Found find(std::string_view id);
  Found find_by_token(std::string_view token);
  void refresh(std::string_view token, const wire::Caller& caller, const Rights& rights);

  void close(std::string_view id);
  // Its token is good no more: all of its sessions.
  void close_by_token(std::string_view token);

 private:
  struct Entry {
    Session session;
    net::Instant opened, used, checked;
    double tokens = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  void keep(std::string key, Session session);
  Found look(const std::string& key);

  SessionOptions options_;
  Clock clock_;
  std::function<std::string()> random_;
  std::mutex mutex_;
  Entries entries_;  // by the hash of cookie or token
};

// "a=b; tamp_session=0123" → "0123"; empty: there is none.
std::string_view cookie_value(std::string_view cookies, std::string_view name);
// In a time that does not tell how much of it is right.
bool same_secret(std::string_view a, std::string_view b);
// 64 hexadecimal digits from the operating system.
std::string random_secret();

}  // namespace tamp::dashboard
