#include "net/election.h"

#include <fmt/format.h>

#include <utility>

#include "net/backoff.h"

namespace tamp::net {

Status check(const ElectionOptions& options) {
  if (options.identity.empty()) return Error{"leader election: the identity is empty"};
  if (options.lease_duration.ns % 1'000'000'000 != 0)
    return Error{"leader election: the lease duration must be whole seconds"};
  if (options.lease_duration <= options.renew_deadline)
    return Error{"leader election: the lease duration must be longer than the renew deadline"};
  if (options.retry_period.ns <= 0)
    return Error{"leader election: the retry period must be longer than nothing"};
  if (options.renew_deadline.ns / 6 * 5 <= options.retry_period.ns)
    return Error{"leader election: the renew deadline must be longer than 1.2 times the retry period"};
  return success();
}

std::string make_identity(std::string_view pod_name, std::uint64_t random) {
  return fmt::format("{}_{:016x}", pod_name, random);
}

std::string_view pod_of_identity(std::string_view identity) {
  return identity.substr(0, identity.rfind('_'));
}

Election::Election(Loop& loop, Client& client, ElectionOptions options, ElectionCallbacks callbacks)
    : loop_(loop), client_(client), options_(std::move(options)), callbacks_(std::move(callbacks)) {
  assert(check(options_).ok());
}

void Election::start() { tick(); }

void Election::tick() {
  if (released_) return;
  if (leading_ && !may_write()) lost("it could not be renewed in time");
  if (released_) return;
  if (leading_ && !look_first_)
    renew();
  else
    look();
}

void Election::look() {
  request_ = client_.get(kLeases, options_.ns, options_.name, [this](Reply reply) {
    if (reply.error && reply.error->kind == ApiError::Kind::NotFound) return create();
    if (reply.error) {
      last_error_ = reply.error->text();
      return next_tick();
    }
    Result<wire::Lease> lease = wire::read_lease(reply.body);
    if (!lease) {
      last_error_ = "the Lease cannot be read: " + lease.error().message;
      return next_tick();
    }
    last_error_.clear();
    seen(std::move(*lease));
  });
}

void Election::seen(wire::Lease lease) {
  keep(std::move(lease));
  if (record_.holder == options_.identity || free_to_take()) return renew();
  if (leading_) lost("\"" + record_.holder + "\" has taken it");
  next_tick();
}

// Only what a holder writes counts as a sign of life; a label that somebody puts on the Lease does not.
void Election::keep(wire::Lease lease) {
  const bool same = have_record_ && lease.holder == record_.holder && lease.renewed == record_.renewed &&
                    lease.acquired == record_.acquired && lease.transitions == record_.transitions &&
                    lease.duration_seconds == record_.duration_seconds;
  if (!same) record_seen_ = loop_.instant();
  record_ = std::move(lease);
  have_record_ = true;
  look_first_ = false;
  if (record_.holder == told_holder_) return;
  told_holder_ = record_.holder;
  if (callbacks_.on_new_holder) callbacks_.on_new_holder(told_holder_);
}

bool Election::free_to_take() const {
  if (record_.holder.empty()) return true;
  const Duration duration =
      record_.duration_seconds > 0 ? Duration::seconds(record_.duration_seconds) : options_.lease_duration;
  return loop_.instant() >= record_seen_ + duration;
}

wire::Lease Election::our_lease() const {
  wire::Lease lease = record_;
  lease.ns = options_.ns;
  lease.name = options_.name;
  lease.duration_seconds = options_.lease_duration.ns / 1'000'000'000;
  lease.renewed = loop_.now();
  if (lease.holder == options_.identity) return lease;
  lease.holder = options_.identity;
  lease.acquired = lease.renewed;
  if (have_record_) ++lease.transitions;
  return lease;
}

void Election::create() {
  if (leading_) lost("it was deleted");
  if (released_) return;
  record_ = {};
  have_record_ = false;
  request_ = client_.create(kLeases, options_.ns, wire::write_lease(our_lease()),
                            [this, sent = loop_.instant()](Reply reply) { renewed(sent, std::move(reply)); });
}

void Election::renew() {
  if (released_) return;
  request_ =
      client_.replace(kLeases, options_.ns, options_.name, wire::write_lease(our_lease()),
                      [this, sent = loop_.instant()](Reply reply) { renewed(sent, std::move(reply)); });
}

void Election::renewed(Instant sent, Reply reply) {
  Result<wire::Lease> lease = Error{};
  if (reply.ok()) lease = wire::read_lease(reply.body);
  if (!lease) {
    last_error_ = reply.error ? reply.error->text() : "the Lease cannot be read: " + lease.error().message;
    look_first_ = true;
    // Somebody has written it: look at once who, while there is time.
    if (leading_ && reply.error && reply.error->kind == ApiError::Kind::Conflict) return look();
    return next_tick();
  }
  last_error_.clear();
  keep(std::move(*lease));
  deadline_ = sent + options_.renew_deadline;
  const Duration left = deadline_ - loop_.instant();
  if (left.ns <= 0) {
    // The answer took longer than it is good for.
    if (leading_) lost("the answer to its renewal came too late");
    return next_tick();
  }
  deadline_timer_ = loop_.after(left, [this] {
    if (leading_ && !may_write()) lost("it could not be renewed in time");
  });
  if (!leading_) {
    leading_ = true;
    if (callbacks_.on_started) callbacks_.on_started();
  }
  next_tick();
}

void Election::lost(std::string why) {
  leading_ = false;
  look_first_ = true;
  if (!last_error_.empty()) why += ": " + last_error_;  // of the attempts to renew it
  last_error_ = "the Lease is lost: " + std::move(why);
  deadline_timer_.cancel();
  if (callbacks_.on_stopped) callbacks_.on_stopped();
}

void Election::next_tick() {
  if (released_) return;
  // Candidates do not all ask in the same moment.
  const Duration spread = leading_ ? Duration{} : Duration{options_.retry_period.ns / 2};
  const Duration wait{options_.retry_period.ns + random_part(spread, loop_.random()).ns};
  tick_ = loop_.after(wait, [this] { tick(); });
}

// ---- giving it back

void Election::release(std::function<void()> done) {
  released_ = true;
  released_done_ = std::move(done);
  request_.cancel();
  deadline_timer_.cancel();
  const bool led = std::exchange(leading_, false);
  if (led && callbacks_.on_stopped) callbacks_.on_stopped();
  tick_ = loop_.after(led ? options_.retry_period : Duration{}, [this] { given_back(); });
  if (led) give_back(true);
}

void Election::give_back(bool again) {
  wire::Lease lease = our_lease();
  lease.holder.clear();
  lease.duration_seconds = 1;
  request_ = client_.replace(
      kLeases, options_.ns, options_.name, wire::write_lease(lease), [this, again](Reply reply) {
        const bool outdated = reply.error && reply.error->kind == ApiError::Kind::Conflict;
        if (!outdated || !again) return given_back();
        // A renewal that was under way came before.
        request_ = client_.get(kLeases, options_.ns, options_.name, [this](Reply found) {
          Result<wire::Lease> lease_now = Error{};
          if (found.ok()) lease_now = wire::read_lease(found.body);
          if (!lease_now || lease_now->holder != options_.identity) return given_back();
          record_ = std::move(*lease_now);
          give_back(false);
        });
      });
}

void Election::given_back() {
  request_.cancel();
  tick_.cancel();
  if (record_.holder == options_.identity) record_.holder.clear();
  if (auto done = std::exchange(released_done_, nullptr)) done();
}

}  // namespace tamp::net
