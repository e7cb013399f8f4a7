#include "net/credential_desk.h"

#include <algorithm>
#include <utility>

#include "net/threads.h"

namespace tamp::net {
namespace {

using Clock = std::chrono::steady_clock;

// Longer than any credential lives; keeps the sum below from overflowing.
constexpr Duration kVeryLong = Duration::hours(24 * 365);

}  // namespace

CredentialDesk::CredentialDesk(Credentials fixed, CredentialSource source, std::function<void()> wake)
    : source_(std::move(source)), wake_(std::move(wake)) {
  if (!source_) held_ = std::make_shared<const Credentials>(std::move(fixed));
}

CredentialDesk::~CredentialDesk() {
  stop_.request_stop();
  if (thread_.joinable()) thread_.join();
}

SharedCredentials CredentialDesk::at_hand() {
  if (!source_) return held_;
  if (held_ && (!good_until_ || Clock::now() < *good_until_)) return held_;
  if (!asking_) ask();
  return nullptr;
}

void CredentialDesk::ask() {
  asking_ = true;
  if (thread_.joinable()) thread_.join();
  thread_ = start_quiet_thread([this, stop = stop_.get_token()] {
    auto answer = source_(stop);
    {
      const std::lock_guard lock(mutex_);
      answer_ = std::move(answer);
    }
    wake_();
  });
}

std::optional<Result<SharedCredentials>> CredentialDesk::collect() {
  std::optional<Result<Issued>> answer;
  {
    const std::lock_guard lock(mutex_);
    answer = std::exchange(answer_, std::nullopt);
  }
  if (!answer) return std::nullopt;
  asking_ = false;
  if (!*answer) return std::move(*answer).error();
  Issued issued = std::move(*answer).value();
  held_ = std::make_shared<const Credentials>(std::move(issued.credentials));
  good_until_ = std::nullopt;
  if (issued.good_for)
    good_until_ = Clock::now() + std::chrono::nanoseconds(std::min(*issued.good_for, kVeryLong).ns);
  return held_;
}

void CredentialDesk::refuse(const SharedCredentials& refused) {
  if (source_ && held_ == refused) held_ = nullptr;
}

}  // namespace tamp::net
