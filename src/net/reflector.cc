#include "net/reflector.h"

#include <algorithm>
#include <utility>

#include "core/number.h"

namespace tamp::net {
namespace {

using Phase = ReflectorState::Phase;
using Kind = ApiError::Kind;
using wire::EventInfo;

// The server that was asked has not yet seen what another has told us.
constexpr std::string_view kTooLarge = "ResourceVersionTooLarge";
// A watch that fails for a reason that does not pass is left for a list after this many times.
constexpr int kWatchFailures = 3;

bool denied(Kind kind) { return kind == Kind::Unauthorized || kind == Kind::Forbidden; }

}  // namespace

std::string_view word(Phase phase) {
  switch (phase) {
    case Phase::Starting:
      return "Starting";
    case Phase::Listing:
      return "Listing";
    case Phase::Current:
      return "Current";
    case Phase::Absent:
      return "Absent";
    case Phase::Broken:
      return "Broken";
  }
  return "";
}

Reflector::Reflector(Loop& loop, Client& client, ResourceType type, WatchSink sink, ReflectorOptions options)
    : loop_(loop), client_(client), type_(type), sink_(std::move(sink)), options_(std::move(options)) {
  state_.since = state_.last_contact = loop_.instant();
}

void Reflector::start() { list(); }

void Reflector::stop() {
  leave_watch();
  under_way_.cancel();
}

// ---- list

void Reflector::list() {
  leave_watch();
  ++state_.lists;
  if (state_.synced) ++state_.relists;
  if (state_.phase == Phase::Starting || state_.phase == Phase::Current) enter(Phase::Listing);
  continue_token_.clear();
  list_version_.clear();
  ask_page();
}

void Reflector::ask_page() {
  ListOptions options;
  options.limit = options_.page_size;
  options.field_selector = options_.field_selector;
  options.continue_token = continue_token_;
  options.repeat = false;
  if (reach_ == Reach::NotOlder && !state_.resource_version.empty()) {
    options.resource_version = state_.resource_version;
    options.resource_version_match = "NotOlderThan";
  }
  under_way_ = client_.list_page(type_, options, [this](Reply reply) { got_page(std::move(reply)); });
}

void Reflector::got_page(Reply reply) {
  const auto again = [this] { list(); };
  if (reply.error) {
    const ApiError& error = *reply.error;
    if (error.kind == Kind::NotFound && options_.custom) return absent();
    // The token or the version is forgotten, or not yet known: only the store itself can answer.
    if (error.kind == Kind::Gone || error.has_cause(kTooLarge)) reach_ = Reach::Newest;
    return failed(error);
  }
  absences_ = 0;
  state_.last_contact = loop_.instant();
  const bool first = list_version_.empty();
  if (first) sink_.begin_list();
  Result<wire::PageInfo> page = sink_.page(std::move(reply.body));
  if (!page) return retry(again, "a list cannot be read: " + page.error().message, std::nullopt);
  if (first) {
    if (older_than_seen(page->resource_version)) {
      reach_ = Reach::Newest;
      return retry(again,
                   "a list at " + page->resource_version + " is older than " + state_.resource_version +
                       ", which was seen already",
                   std::nullopt);
    }
    list_version_ = page->resource_version;
  }
  continue_token_ = page->continue_token;
  if (continue_token_.empty()) return listed();
  ask_page();
}

void Reflector::listed() {
  sink_.end_list();
  state_.resource_version = list_version_;
  state_.synced = true;
  reach_ = Reach::NotOlder;
  watch();
  // Only now everything before the watch is known; the watch itself is one request away.
  enter(Phase::Current);
  changed();
}

// ---- watch

void Reflector::watch() {
  leave_watch();
  ++state_.watches;
  WatchOptions options;
  options.resource_version = state_.resource_version;
  options.field_selector = options_.field_selector;
  options.lifetime = Duration{options_.watch_at_least.ns +
                              jitter(Duration{options_.watch_at_most.ns - options_.watch_at_least.ns}).ns};
  StreamSink sink;
  sink.opened = [this] { opened(); };
  sink.data = [this](std::string_view bytes) { got_bytes(bytes); };
  sink.ended = [this](std::optional<Response> refusal, std::optional<Failure> failure) {
    watch_ended(std::move(refusal), std::move(failure));
  };
  watch_opened_ = loop_.instant();
  under_way_ = client_.watch(type_, options, std::move(sink));
  stall_ = loop_.after(options_.open_within, [this] { check_stall(); });
}

void Reflector::opened() {
  watch_open_ = true;
  watch_opened_ = state_.last_contact = loop_.instant();
  stall_ = loop_.after(options_.stall_after, [this] { check_stall(); });
  enter(Phase::Current);
}

void Reflector::check_stall() {
  const Duration silent = loop_.instant() - (watch_open_ ? state_.last_contact : watch_opened_);
  const Duration patience = watch_open_ ? options_.stall_after : options_.open_within;
  if (silent < patience) {
    stall_ = loop_.after(Duration{patience.ns - silent.ns}, [this] { check_stall(); });
    return;
  }
  leave_watch();
  retry([this] { watch(); }, "the watch was silent for " + format_duration(silent), Kind::Timeout);
}

void Reflector::got_bytes(std::string_view bytes) {
  state_.last_contact = loop_.instant();
  if (failures_ > 0 && state_.last_contact - watch_opened_ >= options_.settled_after)
    failures_ = gones_ = denials_ = 0;
  frame_.feed(bytes);
  const std::uint64_t before = state_.events;
  while (auto line = frame_.next())
    if (!got_event(std::move(*line))) return changed();
  if (frame_.too_long()) {
    leave_watch();
    return retry([this] { list(); }, "a watch event is longer than any object may be", std::nullopt);
  }
  if (state_.events != before) changed();
}

bool Reflector::got_event(std::string line) {
  const Result<EventInfo> event = sink_.event(std::move(line));
  if (!event) {
    leave_watch();
    retry([this] { list(); }, "a watch event cannot be read: " + event.error().message, std::nullopt);
    return false;
  }
  if (event->type == EventInfo::Type::Error) {
    leave_watch();
    const bool again = event->error_code == 410 || failures_ + 1 >= kWatchFailures;
    const auto kind = event->error_code == 410 ? Kind::Gone : Kind::ServerError;
    retry(
        again ? std::function<void()>([this] { list(); }) : [this] { watch(); },
        "the watch ended: " + event->error_message, kind);
    return false;
  }
  if (event->type != EventInfo::Type::Bookmark) ++state_.events;
  if (!older_than_seen(event->resource_version)) state_.resource_version = event->resource_version;
  return true;
}

void Reflector::watch_ended(std::optional<Response> refusal, std::optional<Failure> failure) {
  const bool was_open = watch_open_;
  const Duration lived = loop_.instant() - watch_opened_;
  leave_watch();
  const auto resume = [this] { watch(); };
  const auto again = [this] { list(); };
  if (refusal) {
    const ApiError error = error_of(*refusal, Method::Get);
    state_.last_contact = loop_.instant();
    const bool passes = error.kind == Kind::Throttled || denied(error.kind);
    const bool relist = error.kind == Kind::Gone || error.kind == Kind::NotFound ||
                        (!passes && failures_ + 1 >= kWatchFailures);
    const auto wait = denied(error.kind) ? std::optional<Duration>() : error.retry_after;
    return retry(relist ? std::function<void()>(again) : resume, error.text(), error.kind, wait);
  }
  if (was_open && lived >= options_.settled_after) {
    // It held for a while and then came to its end, or was cut: not worth a word, unless it cannot be resumed.
    failures_ = gones_ = denials_ = 0;
    under_way_ = loop_.after(jitter(options_.resume_jitter), resume);
    return;
  }
  retry(resume, failure ? failure->message : "the watch ended at once",
        failure ? std::optional<Kind>(Kind::Unreachable) : std::nullopt);
}

void Reflector::leave_watch() {
  if (watch_open_ || stall_.armed()) under_way_.cancel();
  watch_open_ = false;
  stall_.cancel();
  frame_.clear();
}

// ---- what went wrong

void Reflector::failed(const ApiError& error) {
  retry([this] { list(); }, error.text(), error.kind, denied(error.kind) ? std::nullopt : error.retry_after);
}

void Reflector::retry(std::function<void()> what, std::string why, std::optional<Kind> kind,
                      std::optional<Duration> wait) {
  ++failures_;
  ++state_.failures;
  state_.last_error = std::move(why);
  state_.last_error_kind = kind;
  // Each sort has its own pace: a server that comes back forgets versions, and denies everything until it has read who may do
  // what; how long it was away must not delay what follows from that.
  Duration delay;
  if (kind == Kind::Gone)
    delay = backoff(options_.backoff, ++gones_, loop_.random());
  else if (kind && denied(*kind))
    delay = backoff({options_.backoff.first, options_.denied_retry}, ++denials_, loop_.random());
  else
    delay = backoff(options_.backoff, failures_ - gones_ - denials_, loop_.random());
  if (wait) delay = std::max(delay, std::min(*wait, options_.denied_retry));
  under_way_ = loop_.after(delay, std::move(what));
  // To be told that a version is forgotten is the normal way to a new list.
  enter(kind == Kind::Gone && state_.phase != Phase::Broken ? Phase::Listing : Phase::Broken);
}

void Reflector::absent() {
  // A kind that was there and is gone with all its objects is believed only when it is said twice.
  ++absences_;
  state_.last_contact = loop_.instant();
  if (state_.phase != Phase::Absent && state_.synced && absences_ < 2)
    return retry([this] { list(); }, "the server does not know " + std::string(type_.plural) + " any more",
                 Kind::NotFound);
  if (state_.phase != Phase::Absent) {
    sink_.begin_list();
    sink_.end_list();
  }
  failures_ = gones_ = denials_ = 0;
  state_.synced = true;
  // Installed again, it starts anew.
  reach_ = Reach::Newest;
  under_way_ = loop_.after(Duration{options_.look_for_absent.ns + jitter(options_.resume_jitter).ns},
                           [this] { list(); });
  enter(Phase::Absent);
}

void Reflector::enter(Phase phase) {
  if (phase == Phase::Current || phase == Phase::Absent) {
    state_.last_error.clear();
    state_.last_error_kind.reset();
  }
  if (state_.phase == phase) return;
  state_.phase = phase;
  state_.since = loop_.instant();
  changed();
}

void Reflector::changed() {
  if (on_change_) on_change_();
}

// Versions are numbers that grow, for all kinds of one cluster, since Kubernetes 1.35 says so; where they are not, nothing
// is older.
bool Reflector::older_than_seen(const std::string& resource_version) const {
  const auto a = read_number<std::uint64_t>(resource_version),
             b = read_number<std::uint64_t>(state_.resource_version);
  return a && b && *a < *b;
}

}  // namespace tamp::net
