#include "sim/api/watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/api/list.h"
#include "sim/api/status.h"

namespace tamp::world::api {
namespace {

constexpr Duration kBookmarkEvery = Duration::minutes(1);

Outcome invalid_options(std::string field, std::string message) {
  return invalid("meta.k8s.io", "ListOptions", "",
                 {{"FieldValueForbidden", std::move(field), std::move(message)}});
}

std::optional<Outcome> wrong_options(const Query& query) {
  const bool initial = query.has("sendInitialEvents");
  const std::string_view match = query["resourceVersionMatch"];
  if (initial && match != "NotOlderThan")
    return invalid_options(
        "resourceVersionMatch",
        "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  if (!initial && !match.empty())
    return invalid_options(
        "resourceVersionMatch",
        "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  return {};
}

}  // namespace

WatchReading read_watch(const Backend& backend, const Resource& resource, std::string_view ns,
                        std::string_view name, std::string_view accept, const Query& query) {
  FilterOutcome filter = read_filter(backend, resource, query);
  if (!filter.failure.ok()) return {{}, std::move(filter.failure)};
  if (auto wrong = wrong_numbers(query)) return {{}, *std::move(wrong)};
  if (auto wrong = wrong_options(query)) return {{}, *std::move(wrong)};
  const Showing showing = showing_of(backend, resource, accept, query);
  if (showing.form == Form::NotAcceptable)
    return {{}, not_acceptable("application/json, application/yaml, application/vnd.kubernetes.protobuf")};
  WatchAsked asked;
  asked.resource = resource;
  asked.ns = ns;
  asked.form = showing.form;
  asked.row_object = showing.row_object;
  asked.bookmarks = query.flag("allowWatchBookmarks");
  asked.filter = std::move(filter.filter);
  if (!name.empty()) {
    auto named = FieldFilter::parse(backend, resource, "metadata.name=" + std::string(name));
    if (named.ok()) asked.filter.fields = *std::move(named);
  }
  const std::string_view version_text = query["resourceVersion"];
  const auto version = version_text.empty() ? std::optional<std::uint64_t>(0) : read_version(version_text);
  if (!version)
    return {{},
            failed(500, "",
                   fmt::format(
                       "resourceVersion: Invalid value: \"{}\": strconv.ParseUint: parsing \"{}\": invalid "
                       "syntax",
                       version_text, version_text))};
  const bool asks_initial = query.has("sendInitialEvents");
  const bool initial = asks_initial ? query.flag("sendInitialEvents") : *version == 0;
  asked.after = initial || *version == 0 ? backend.store.revision() : *version;
  if (initial) {
    for (const auto& [key, object] : backend.store.objects(resource.id))
      if ((ns.empty() || key.first == ns) && asked.filter.selects(object->tree()))
        asked.initial.push_back(object);
    asked.initial_end = asked.bookmarks;
  }
  if (const auto seconds = read_version(query["timeoutSeconds"]); seconds && *seconds > 0)
    asked.until = backend.now +
                  Duration::seconds(static_cast<std::int64_t>(std::min<std::uint64_t>(*seconds, 1u << 30)));
  return {std::move(asked), {}};
}

WatchId Watches::open(WatchAsked asked, std::function<void()> news, Time now) {
  const WatchId id = next_++;
  Open watch;
  watch.cursor = asked.after;
  watch.asked = std::move(asked);
  watch.news = std::move(news);
  watch.next_bookmark = now + kBookmarkEvery;
  if (watch.asked.bookmarks) earliest_ = std::min(earliest_, watch.next_bookmark);
  if (watch.asked.until) earliest_ = std::min(earliest_, *watch.asked.until);
  open_.emplace(id, std::move(watch));
  return id;
}

std::string Watches::frame(Open& watch, const Backend& backend, std::string_view type,
                           const ObjectPtr& object) {
  const WatchAsked& asked = watch.asked;
  const Showing showing{&asked.resource, custom_version(backend, asked.resource), asked.form,
                        asked.row_object, backend.now};
  std::string out = "{\"type\":\"";
  out += type;
  out += "\",\"object\":";
  out += event_text(showing, object, !watch.columns_sent);
  out += "}\n";
  watch.columns_sent = true;
  return out;
}

std::string Watches::bookmark(Open& watch, const Backend& backend, bool initial_end) {
  const Resource& resource = watch.asked.resource;
  Tree object = Tree::object({{"apiVersion", resource.api_version()}, {"kind", resource.kind}});
  Tree& metadata = object.set("metadata", Tree::object());
  metadata.set("resourceVersion", std::to_string(watch.cursor));
  if (initial_end) metadata.set("annotations", Tree::object({{"k8s.io/initial-events-end", "true"}}));
  if (resource.id == ResourceId::Pods) {
    // A typed object that is empty but for its metadata.
    object.set("spec", Tree::object({{"containers", nullptr}}));
    object.set("status", Tree::object());
  }
  watch.bookmark_due = false;
  return frame(watch, backend, "BOOKMARK", std::make_shared<const Object>(std::move(object)));
}

std::optional<std::string> Watches::next_change(Open& watch, const Backend& backend) {
  const WatchAsked& asked = watch.asked;
  if (watch.cursor < backend.store.oldest()) {
    watch.ended = true;
    const Outcome gone =
        expired(fmt::format("too old resource version: {} ({})", watch.cursor, backend.store.oldest()));
    return fmt::format("{{\"type\":\"ERROR\",\"object\":{}}}\n", wire::to_json(gone.failure));
  }
  while (const Change* change = backend.store.change_after(watch.cursor)) {
    watch.cursor = change->revision;
    if (change->resource != asked.resource.id) continue;
    if (!asked.ns.empty() && change->object().ns() != asked.ns) continue;
    const bool was = change->before && asked.filter.selects(change->before->tree());
    const bool is = change->after && asked.filter.selects(change->after->tree());
    if (is) return frame(watch, backend, was ? "MODIFIED" : "ADDED", change->after);
    if (!was) continue;
    if (!change->after) return frame(watch, backend, "DELETED", change->before);
    // It left what is selected: shown as it was, with the revision at which it left.
    Tree left = change->before->tree();
    left.ensure("metadata").set("resourceVersion", std::to_string(change->revision));
    return frame(watch, backend, "DELETED", std::make_shared<const Object>(std::move(left)));
  }
  return {};
}

std::optional<std::string> Watches::next_frame(const Backend& backend, WatchId id) {
  const auto found = open_.find(id);
  if (found == open_.end() || found->second.ended) return {};
  Open& watch = found->second;
  if (watch.initial_sent < watch.asked.initial.size())
    return frame(watch, backend, "ADDED", watch.asked.initial[watch.initial_sent++]);
  watch.asked.initial.clear();
  watch.initial_sent = 0;
  if (watch.asked.initial_end) {
    watch.asked.initial_end = false;
    return bookmark(watch, backend, true);
  }
  if (auto change = next_change(watch, backend)) return change;
  if (watch.bookmark_due) return bookmark(watch, backend, false);
  if (watch.asked.until && backend.now >= *watch.asked.until) watch.ended = true;
  return {};
}

bool Watches::ended(WatchId id) const {
  const auto found = open_.find(id);
  return found == open_.end() || found->second.ended;
}

void Watches::close(WatchId id) { open_.erase(id); }

void Watches::tell(const Backend& backend, std::uint64_t since) {
  if (open_.empty()) return;
  // Most writes are one change; who is told too often finds no frame.
  const Change* change = backend.store.change_after(since);
  if (change == nullptr) return;
  const bool one = change->revision == backend.store.revision();
  for (auto& [id, watch] : open_)
    if (watch.news && !watch.ended && (!one || watch.asked.resource.id == change->resource)) watch.news();
}

void Watches::time_went_on(Time now) {
  if (now < earliest_) return;
  earliest_ = Time{INT64_MAX};
  for (auto& [id, watch] : open_) {
    if (watch.ended) continue;
    bool due = watch.asked.until && *watch.asked.until <= now;
    if (watch.asked.bookmarks && watch.next_bookmark <= now) {
      watch.bookmark_due = due = true;
      watch.next_bookmark = now + kBookmarkEvery;
    }
    if (watch.asked.bookmarks) earliest_ = std::min(earliest_, watch.next_bookmark);
    if (watch.asked.until && *watch.asked.until > now) earliest_ = std::min(earliest_, *watch.asked.until);
    if (due && watch.news) watch.news();
  }
}

}  // namespace tamp::world::api
