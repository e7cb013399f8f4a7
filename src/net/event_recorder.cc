#include "net/event_recorder.h"

#include <fmt/format.h>

#include <cctype>
#include <iterator>
#include <utility>

#include "core/json_writer.h"
#include "wire/value.h"

namespace tamp::net {
namespace {

constexpr std::size_t kLongestMessage = 1024, kLongestReason = 128;  // the server's limits
constexpr std::size_t kLongestName = 253;

std::string cut(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end));
}

// FNV-1a: the same on every machine and in every version, and nobody gains from a collision.
std::uint64_t mix(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (hash ^ 0xff) * 0x100000001b3u;  // where one text ends and the next begins
}

std::string namespace_of(const ObjectReference& object) { return object.ns.empty() ? "default" : object.ns; }

}  // namespace

std::string event_name(const ObjectReference& object, std::string_view reason, std::string_view message) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::string_view part :
       {std::string_view(object.api_version), std::string_view(object.kind), std::string_view(object.ns),
        std::string_view(object.name), std::string_view(object.uid), reason, message})
    hash = mix(hash, part);
  const std::string end = fmt::format(".{:016x}", hash);
  std::string name = cut(object.name, kLongestName - end.size());
  while (!name.empty() && std::isalnum(static_cast<unsigned char>(name.back())) == 0) name.pop_back();
  return name + end;
}

EventRecorder::EventRecorder(Loop& loop, Client& client, EventRecorderOptions options)
    : loop_(loop),
      client_(client),
      options_(std::move(options)),
      bucket_(options_.qps, options_.burst, loop.instant()) {}

void EventRecorder::record(const ObjectReference& object, EventType type, std::string_view reason,
                           std::string_view message) {
  std::string name = event_name(object, reason, message);
  const std::string key = namespace_of(object) + "/" + name;
  const Time now = loop_.now();
  auto found = by_name_.find(key);
  if (found == by_name_.end()) {
    Entry entry;
    entry.object = object;
    entry.type = type;
    entry.reason = cut(reason, kLongestReason);
    entry.message = cut(message, kLongestMessage);
    entry.name = std::move(name);
    entry.first = now;
    entries_.push_back(std::move(entry));
    found = by_name_.emplace(key, std::prev(entries_.end())).first;
  }
  const Entries::iterator entry = found->second;
  entries_.splice(entries_.end(), entries_, entry);
  entry->last = now;
  ++entry->untold;
  const bool due = !entry->ever_sent || loop_.instant() - entry->sent_at >= options_.repeat_after;
  if (!entry->busy && due && queue_.size() < options_.queue) {
    entry->busy = true;
    queue_.push_back(entry);
  }
  forget_oldest();
  pump();
}

void EventRecorder::forget_oldest() {
  while (entries_.size() > options_.remembered && !entries_.front().busy) {
    by_name_.erase(namespace_of(entries_.front().object) + "/" + entries_.front().name);
    entries_.pop_front();
  }
}

void EventRecorder::pump() {
  if (sending_ || queue_.empty()) return;
  const Instant now = loop_.instant();
  if (!bucket_.take(now)) {
    wake_ = loop_.after(bucket_.wait(now), [this] { pump(); });
    return;
  }
  Entry& entry = *queue_.front();
  queue_.pop_front();
  sending_ = true;
  if (entry.known)
    update(entry, false);
  else
    create(entry, false);
}

void EventRecorder::create(Entry& entry, bool after_update) {
  entry.telling = entry.untold;
  under_way_ = client_.create(
      kEvents, namespace_of(entry.object), body(entry), [this, &entry, after_update](Reply reply) {
        const bool exists = reply.error && reply.error->kind == ApiError::Kind::AlreadyExists;
        if (exists && !after_update) return adopt(entry);
        finished(entry, reply.ok());
      });
}

// An earlier start of the program has told it: its count goes on.
void EventRecorder::adopt(Entry& entry) {
  under_way_ = client_.get(kEvents, namespace_of(entry.object), entry.name, [this, &entry](Reply reply) {
    if (!reply.ok()) return finished(entry, false);
    const auto json = wire::Json::parse(reply.body);
    if (!json) return finished(entry, false);
    entry.told = std::max<std::int64_t>(0, json->root().get("count").integer().value_or(0));
    update(entry, true);
  });
}

void EventRecorder::update(Entry& entry, bool after_create) {
  entry.telling = entry.untold;
  JsonWriter json;
  json.begin_object()
      .field("count", entry.told + entry.telling)
      .field("lastTimestamp", format_rfc3339(entry.last))
      .end_object();
  under_way_ = client_.patch(kEvents, namespace_of(entry.object), entry.name, "", PatchType::Merge,
                             json.take(), [this, &entry, after_create](Reply reply) {
                               const bool forgotten =
                                   reply.error && reply.error->kind == ApiError::Kind::NotFound;
                               if (!forgotten || after_create) return finished(entry, reply.ok());
                               entry.known = false;
                               create(entry, true);
                             });
}

void EventRecorder::finished(Entry& entry, bool ok) {
  if (ok) {
    entry.known = entry.ever_sent = true;
    entry.sent_at = loop_.instant();
    entry.told += entry.telling;
    entry.untold -= entry.telling;
  }
  entry.busy = false;
  sending_ = false;
  forget_oldest();
  pump();
}

std::string EventRecorder::body(const Entry& entry) const {
  JsonWriter json;
  json.begin_object().field("apiVersion", "v1").field("kind", "Event");
  json.key("metadata").begin_object();
  json.field("namespace", namespace_of(entry.object)).field("name", entry.name).end_object();
  json.key("involvedObject").begin_object();
  json.field("apiVersion", entry.object.api_version).field("kind", entry.object.kind);
  if (!entry.object.ns.empty()) json.field("namespace", entry.object.ns);
  json.field("name", entry.object.name);
  if (!entry.object.uid.empty()) json.field("uid", entry.object.uid);
  json.end_object();
  json.field("type", entry.type == EventType::Warning ? "Warning" : "Normal");
  json.field("reason", entry.reason).field("message", entry.message);
  json.field("count", entry.told + entry.telling);
  json.field("firstTimestamp", format_rfc3339(entry.first))
      .field("lastTimestamp", format_rfc3339(entry.last));
  json.key("source").begin_object().field("component", options_.component);
  if (!options_.host.empty()) json.field("host", options_.host);
  json.end_object();
  json.field("reportingComponent", options_.component).field("reportingInstance", options_.host);
  json.end_object();
  return json.take();
}

}  // namespace tamp::net
