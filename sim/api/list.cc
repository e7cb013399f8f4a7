#include "sim/api/list.h"

#include <fmt/format.h>

#include <charconv>

#include "sim/api/status.h"
#include "wire/base64.h"

namespace tamp::world::api {
namespace {

constexpr std::int64_t kLatest = -1;  // of a token that goes on in what is there now

// Where the next page begins. Clients must not look into it, but it looks like the real one's.
struct Continuation {
  std::int64_t revision = 0;
  ObjectKey after;
};

std::string to_token(std::int64_t revision, const ObjectKey& last) {
  const Tree token =
      Tree::object({{"v", "meta.k8s.io/v1"},
                    {"rv", revision},
                    {"start", last.first.empty() ? last.second : last.first + "/" + last.second}});
  std::string text = wire::encode_base64(wire::to_json(token));
  while (!text.empty() && text.back() == '=') text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

std::optional<Continuation> from_token(std::string text, bool namespaced) {
  for (char& c : text) c = c == '-' ? '+' : c == '_' ? '/' : c;
  while (text.size() % 4 != 0) text += '=';
  const Result<std::string> json = wire::decode_base64(text);
  if (!json.ok()) return {};
  const Result<Tree> token = wire::read_tree(*json);
  if (!token.ok() || (*token)["v"].string() != "meta.k8s.io/v1" || !(*token)["rv"].is_number()) return {};
  const std::string_view start = (*token)["start"].string();
  if (start.empty()) return {};
  Continuation continuation{(*token)["rv"].integer(), {}};
  const std::size_t slash = start.find('/');
  if (namespaced && slash == std::string_view::npos) return {};
  if (namespaced) continuation.after.first = start.substr(0, slash);
  continuation.after.second = namespaced ? start.substr(slash + 1) : start;
  return continuation;
}

Outcome invalid_options(FieldProblem problem) {
  return invalid("meta.k8s.io", "ListOptions", "", {std::move(problem)});
}

Outcome too_large(std::uint64_t asked, std::uint64_t current) {
  return failed(
      504, "Timeout", fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current),
      Tree::object({{"causes", Tree::Array{Tree::object({{"reason", "ResourceVersionTooLarge"},
                                                         {"message", "Too large resource version"}})}},
                    {"retryAfterSeconds", 1}}));
}

Outcome token_expired(const Continuation& continuation) {
  Outcome outcome = expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new "
      "list "
      "without the continue parameter, or use the continue token in this response to retrieve the remainder "
      "of the "
      "results. Continuing with the provided token results in an inconsistent list - objects that were "
      "created, "
      "modified, or deleted between the time the first chunk was returned and now may show up in the list.");
  outcome.failure.ensure("metadata").set("continue", to_token(kLatest, continuation.after));
  return outcome;
}

// What resourceVersion and resourceVersionMatch forbid each other.
std::optional<Outcome> wrong_options(const Query& query) {
  const std::string_view match = query["resourceVersionMatch"], version = query["resourceVersion"];
  if (query.has("sendInitialEvents"))
    return invalid_options(
        {"FieldValueForbidden", "sendInitialEvents", "Forbidden: sendInitialEvents is forbidden for list"});
  if (match.empty()) return {};
  if (version.empty())
    return invalid_options(
        {"FieldValueForbidden", "resourceVersionMatch",
         "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"});
  if (!query["continue"].empty())
    return invalid_options({"FieldValueForbidden", "resourceVersionMatch",
                            "Forbidden: resourceVersionMatch is forbidden when continue is provided"});
  if (match != "Exact" && match != "NotOlderThan")
    return invalid_options(
        {"FieldValueNotSupported", "resourceVersionMatch",
         fmt::format("Unsupported value: \"{}\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
                     match)});
  if (match == "Exact" && version == "0")
    return invalid_options(
        {"FieldValueForbidden", "resourceVersionMatch",
         "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""});
  return {};
}

Listing refused(Outcome failure) { return {{}, {}, std::move(failure)}; }

}  // namespace

std::optional<std::uint64_t> read_version(std::string_view text) {
  std::uint64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return version;
}

std::optional<Outcome> wrong_numbers(const Query& query) {
  for (const char* name : {"limit", "timeoutSeconds"}) {
    if (!query.has(name)) continue;
    const std::string_view text = query[name];
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
      return bad_request(fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", text));
  }
  return {};
}

FilterOutcome read_filter(const Backend& backend, const Resource& resource, const Query& query) {
  FilterOutcome outcome;
  if (const std::string_view text = query["labelSelector"]; !text.empty()) {
    Result<LabelFilter> labels = LabelFilter::parse(text);
    if (!labels.ok()) return {{}, bad_request(labels.error().message)};
    outcome.filter.labels = *std::move(labels);
  }
  if (const std::string_view text = query["fieldSelector"]; !text.empty()) {
    Result<FieldFilter> fields = FieldFilter::parse(backend, resource, text);
    if (!fields.ok()) return {{}, bad_request(fields.error().message)};
    outcome.filter.fields = *std::move(fields);
  }
  return outcome;
}

Listing list_objects(const Backend& backend, const Resource& resource, std::string_view ns,
                     const Query& query, const Filter& filter) {
  if (auto wrong = wrong_numbers(query)) return refused(*std::move(wrong));
  if (auto wrong = wrong_options(query)) return refused(*std::move(wrong));
  const Store& store = backend.store;
  std::int64_t limit = 0;
  const std::string_view limit_text = query["limit"];
  std::from_chars(limit_text.data(), limit_text.data() + limit_text.size(), limit);
  const std::string_view version_text = query["resourceVersion"];
  // Whatever the cache has at hand, and all of it.
  if (version_text == "0" && query["continue"].empty()) limit = 0;
  std::uint64_t version = 0;
  if (!version_text.empty()) {
    const auto read = read_version(version_text);
    if (!read)
      return refused(
          bad_request(fmt::format("invalid resource version: resourceVersion: Invalid value: \"{}\": "
                                  "strconv.ParseUint: parsing \"{}\": invalid syntax",
                                  version_text, version_text)));
    version = *read;
  }

  std::optional<Continuation> continuation;
  std::uint64_t shown = store.revision();
  if (const std::string_view token = query["continue"]; !token.empty()) {
    continuation = from_token(std::string(token), resource.namespaced);
    if (!continuation) return refused(bad_request("invalid continue token: continue key is not valid"));
    if (!version_text.empty() && version_text != "0")
      return refused(bad_request("specifying resource version is not allowed when using continue"));
    if (continuation->revision != kLatest) shown = static_cast<std::uint64_t>(continuation->revision);
    if (shown < store.oldest()) return refused(token_expired(*continuation));
    if (shown > store.revision()) return refused(too_large(shown, store.revision()));
  } else if (version > 0) {
    if (version > store.revision()) return refused(too_large(version, store.revision()));
    // A page of a given revision without a match is exact, as it was before there were matches.
    const std::string_view match = query["resourceVersionMatch"];
    if (match == "Exact" || (match.empty() && limit > 0)) shown = version;
    if (shown < store.oldest())
      return refused(expired("The resourceVersion for the provided list is too old."));
  }

  std::optional<Objects> past;
  if (shown != store.revision()) past = store.at(resource.id, shown);
  const Objects& all = past ? *past : store.objects(resource.id);

  Listing listing;
  listing.metadata = Tree::object({{"resourceVersion", std::to_string(shown)}});
  if (resource.custom())
    listing.metadata.set("continue", "");  // lists without a type of their own always say it
  // Of one name there is one page.
  if (!filter.fields.name().empty() && (!resource.namespaced || !ns.empty())) limit = 0;
  auto it = continuation ? all.upper_bound(continuation->after)
            : ns.empty() ? all.begin()
                         : all.lower_bound(std::pair(ns, std::string_view()));
  for (; it != all.end() && (ns.empty() || it->first.first == ns); ++it) {
    // A page ends when it is full and there is anything more, selected or not.
    if (limit > 0 && listing.items.size() == static_cast<std::size_t>(limit)) {
      const Object& last = *listing.items.back();
      listing.metadata.set("continue", to_token(static_cast<std::int64_t>(shown),
                                                {std::string(last.ns()), std::string(last.name())}));
      if (!filter.everything()) break;
      std::int64_t rest = 0;
      for (; it != all.end() && (ns.empty() || it->first.first == ns); ++it) ++rest;
      listing.metadata.set("remainingItemCount", rest);
      break;
    }
    if (filter.selects(it->second->tree())) listing.items.push_back(it->second);
  }
  return listing;
}

}  // namespace tamp::world::api
