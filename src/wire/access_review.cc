#include "wire/access_review.h"

#include <algorithm>

#include "core/json_writer.h"
#include "wire/value.h"

namespace tamp::wire {
namespace {

void begin(JsonWriter& w, const char* api_version, const char* kind) {
  w.begin_object().field("apiVersion", api_version).field("kind", kind).key("spec").begin_object();
}

void write_texts(JsonWriter& w, std::string_view key, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  w.key(key).begin_array();
  for (const std::string& text : texts) w.string(text);
  w.end_array();
}

std::string text_at(Value parent, std::string_view key) {
  return std::string(parent.get(key).string().value_or(""));
}

// What is no string is left out: fewer groups are fewer rights.
std::vector<std::string> texts_of(Value list) {
  std::vector<std::string> texts;
  for (const Value element : list.elements())
    if (const auto text = element.string()) texts.emplace_back(*text);
  return texts;
}

Caller caller_of(Value user) {
  Caller caller;
  caller.user = text_at(user, "username");
  caller.uid = text_at(user, "uid");
  caller.groups = texts_of(user.get("groups"));
  for (const Field field : user.get("extra").fields())
    caller.extra.emplace_back(std::string(field.key), texts_of(field.value));
  std::stable_sort(caller.extra.begin(), caller.extra.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return caller;
}

Result<Value> status_of(const Json& json, std::string_view kind) {
  const Value root = json.root();
  if (root.get("kind").string() != kind) return Error{"is no " + std::string(kind)};
  const Value status = root.get("status");
  if (!status.is_object()) return Error{"status: is missing"};
  return status;
}

// Who it is about; what they want to do follows.
void begin_access_review(JsonWriter& w, const Caller& caller) {
  begin(w, "authorization.k8s.io/v1", "SubjectAccessReview");
  w.field("user", caller.user);
  if (!caller.uid.empty()) w.field("uid", caller.uid);
  write_texts(w, "groups", caller.groups);
  if (caller.extra.empty()) return;
  w.key("extra").begin_object();
  for (const auto& [key, values] : caller.extra) {
    w.key(key).begin_array();
    for (const std::string& value : values) w.string(value);
    w.end_array();
  }
  w.end_object();
}

}  // namespace

std::string write_token_review(std::string_view token, const std::vector<std::string>& audiences) {
  JsonWriter w;
  begin(w, "authentication.k8s.io/v1", "TokenReview");
  w.field("token", token);
  write_texts(w, "audiences", audiences);
  w.end_object().end_object();
  return w.take();
}

Result<TokenVerdict> read_token_review(const std::string& bytes) {
  TAMP_TRY(const Json json, Json::parse(bytes));
  TAMP_TRY(const Value status, status_of(json, "TokenReview"));
  TokenVerdict verdict;
  verdict.caller = caller_of(status.get("user"));
  verdict.audiences = texts_of(status.get("audiences"));
  verdict.authenticated =
      status.get("authenticated").boolean().value_or(false) && !verdict.caller.user.empty();
  if (!verdict.authenticated) return TokenVerdict{};
  return verdict;
}

std::string write_path_review(const Caller& caller, std::string_view path, std::string_view verb) {
  JsonWriter w;
  begin_access_review(w, caller);
  w.key("nonResourceAttributes").begin_object().field("path", path).field("verb", verb).end_object();
  w.end_object().end_object();
  return w.take();
}

std::string write_resource_review(const Caller& caller, std::string_view verb, std::string_view group,
                                  std::string_view resource, std::string_view name) {
  JsonWriter w;
  begin_access_review(w, caller);
  w.key("resourceAttributes").begin_object().field("verb", verb).field("group", group);
  w.field("resource", resource);
  if (!name.empty()) w.field("name", name);
  w.end_object().end_object().end_object();
  return w.take();
}

Result<bool> read_access_review(const std::string& bytes) {
  TAMP_TRY(const Json json, Json::parse(bytes));
  TAMP_TRY(const Value status, status_of(json, "SubjectAccessReview"));
  return status.get("allowed").boolean().value_or(false) && !status.get("denied").boolean().value_or(false);
}

}  // namespace tamp::wire
