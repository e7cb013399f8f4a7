// Who leads: one holder of a Lease at a time. An expiry is judged by when WE saw the record change, on a clock that does
// not jump; the times in the record are for people. All wait for the whole duration after a change before they take the
// Lease from its holder.
//
// The fence: the leader may write only until its own deadline, the moment at which its last successful renewal was SENT
// plus the renew deadline. Others cannot have seen that renewal earlier, so they wait at least until that moment plus the
// lease duration, which is longer. A program that was frozen therefore finds may_write() false when it continues, before
// any timer of it has run.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/time.h"
#include "net/client.h"
#include "net/loop.h"
#include "wire/lease.h"

namespace tamp::net {

struct ElectionOptions {
  std::string ns = "tamp-system";
  std::string name = "tamp-controller";
  std::string identity;  // see make_identity
  Duration lease_duration = Duration::seconds(15);
  Duration renew_deadline = Duration::seconds(10);
  Duration retry_period = Duration::seconds(2);
};
// lease_duration > renew_deadline > 1.2 * retry_period, an identity, whole seconds: else an error in words.
Status check(const ElectionOptions& options);

struct ElectionCallbacks {
  std::function<void()> on_started;
  // Writing has already stopped: may_write() is false. It stands for election again by itself.
  std::function<void()> on_stopped;
  std::function<void(const std::string& holder)> on_new_holder;  // "" is nobody
};

// "tamp-7d9f-abcde_0123456789abcdef": another start of the same pod is another candidate.
std::string make_identity(std::string_view pod_name, std::uint64_t random);
// The pod of such an identity: "tamp-7d9f-abcde".
std::string_view pod_of_identity(std::string_view identity);

class Election {
 public:
  // REQUIRES: check(options) is fine.
  Election(Loop& loop, Client& client, ElectionOptions options, ElectionCallbacks callbacks);
  Election(const Election&) = delete;
  Election& operator=(const Election&) = delete;

  void start();
  // Stops writing at once, gives the Lease back if it is ours, then calls `done` (also when giving back failed or took
  // longer than the retry period). Does not stand for election any more. REQUIRES: no write is under way, since another
  // may lead at once.
  void release(std::function<void()> done);

  bool leading() const { return leading_; }
  bool may_write() const { return leading_ && loop_.instant() < deadline_; }
  // Empty after an attempt that worked.
  const std::string& last_error() const { return last_error_; }

 private:
  void tick();
  void look();
  void seen(wire::Lease lease);
  void create();
  void renew();
  void renewed(Instant sent, Reply reply);
  void lost(std::string why);
  void give_back(bool again);
  void given_back();
  void keep(wire::Lease lease);
  void next_tick();
  bool free_to_take() const;
  wire::Lease our_lease() const;

  Loop& loop_;
  Client& client_;
  ElectionOptions options_;
  ElectionCallbacks callbacks_;

  wire::Lease record_;  // as last seen
  bool have_record_ = false;
  bool look_first_ = true;  // what we know of the record may be out of date
  Instant record_seen_;     // when it was seen to change
  std::string told_holder_;
  bool leading_ = false;
  bool released_ = false;
  Instant deadline_;  // of the fence
  std::string last_error_;
  std::function<void()> released_done_;
  Pending tick_, request_, deadline_timer_;
};

}  // namespace tamp::net
