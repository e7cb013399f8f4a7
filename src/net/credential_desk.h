// Keeps the credentials that are good now and asks their source for others when they are not, on a thread of its own, so
// that a slow plugin delays only the requests that need it.
//
// Thread safety: none; belongs to the thread of one transport. `wake` is called from another thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "net/credentials.h"

namespace tamp::net {

using SharedCredentials = std::shared_ptr<const Credentials>;

class CredentialDesk {
 public:
  // Without a source, `fixed` is all there is.
  CredentialDesk(Credentials fixed, CredentialSource source, std::function<void()> wake);
  // Calls the source off and waits for it.
  ~CredentialDesk();
  CredentialDesk(const CredentialDesk&) = delete;
  CredentialDesk& operator=(const CredentialDesk&) = delete;

  bool renewable() const { return source_ != nullptr; }
  // What is good now. Null: others were asked for; `wake` is called when collect() has them.
  SharedCredentials at_hand();
  // What came of asking, once for each time.
  std::optional<Result<SharedCredentials>> collect();
  // The server does not accept them. Nothing happens if others are at hand already.
  void refuse(const SharedCredentials& refused);

 private:
  void ask();

  CredentialSource source_;
  std::function<void()> wake_;
  SharedCredentials held_;
  std::optional<std::chrono::steady_clock::time_point> good_until_;

  bool asking_ = false;
  std::thread thread_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::optional<Result<Issued>> answer_;  // guarded by mutex_
};

}  // namespace tamp::net
