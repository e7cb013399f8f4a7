#include "cli/api_session.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/live.h"

namespace tamp::cli {
namespace {

using wire::Tree;
using Kind = net::ApiError::Kind;

constexpr net::ResourceType kSelfReviews{"authentication.k8s.io", "v1", "selfsubjectreviews", false};

std::string full_name(const net::ResourceType& type) {
  return type.group.empty() ? std::string(type.plural) : fmt::format("{}.{}", type.plural, type.group);
}

// Which role has the right, where Tamp's own manifests know one.
std::string_view advice(std::string_view verb, const net::ResourceType& type) {
  if (type.group != "temper.codes") return "";
  if (verb == "get" || verb == "list") return "; the ClusterRole tamp-viewer has it";
  return type == net::kConsolidationRuns ? "; the ClusterRole tamp-approver has it" : "";
}

std::string in_words(const net::ApiError& error, std::string_view verb, const net::ResourceType& type,
                     std::string_view name) {
  if (error.kind == Kind::Forbidden)
    return fmt::format("not allowed: the right to {} {} is missing{} ({})", verb, full_name(type),
                       advice(verb, type), error.message);
  if (error.kind == Kind::NotFound) {
    // A missing kind is told without a name.
    const bool kind_missing =
        error.message.find("could not find the requested resource") != std::string::npos;
    if (kind_missing || name.empty())
      return fmt::format("the cluster does not know {}: is Tamp installed there?", full_name(type));
    return fmt::format("there is no {} named {}", full_name(type), name);
  }
  return error.text();
}

}  // namespace

Result<std::unique_ptr<ApiSession>> ApiSession::open(const Options& options,
                                                     const terminal::Environment& environment) {
  TAMP_TRY(const net::Access access, access_of(options, environment));
  return std::make_unique<ApiSession>(access);
}

ApiSession::ApiSession(const net::Access& access)
    : description_(access.description), transport_(loop_, access), client_(loop_, transport_) {}

Result<Tree> ApiSession::ask(const std::function<net::Pending(net::Client&, net::Done)>& question,
                             std::string_view verb, const net::ResourceType& type, std::string_view name) {
  std::optional<net::Reply> reply;
  const net::Pending pending = question(client_, [&](net::Reply answer) { reply = std::move(answer); });
  loop_.run_until([&] { return reply.has_value(); });
  refusal_ = reply->error;
  if (refusal_) {
    failed_ = true;
    return Error{in_words(*refusal_, verb, type, name)}.with(description_);
  }
  if (reply->date) {
    constexpr Duration kGrain = Duration::seconds(2);  // whole seconds, and the way here
    const Duration ahead = *reply->date - loop_.now();
    ahead_ = ahead > kGrain || ahead < Duration{-kGrain.ns} ? ahead : Duration{};
  }
  return wire::read_tree(reply->body);
}

Result<Tree> ApiSession::get(const net::ResourceType& type, std::string_view ns, std::string_view name) {
  return ask([&](net::Client& client, net::Done done) { return client.get(type, ns, name, std::move(done)); },
             "get", type, name);
}

Result<Tree> ApiSession::list(const net::ResourceType& type, std::string_view ns,
                              const std::string& label_selector) {
  Tree all = Tree::object({{"items", Tree::array()}});
  net::ListOptions options;
  options.ns = ns;
  options.limit = 500;
  options.label_selector = label_selector;
  do {
    TAMP_TRY(Tree page, ask([&](net::Client& client,
                                net::Done done) { return client.list_page(type, options, std::move(done)); },
                            "list", type, ""));
    for (Tree& item : page.ensure("items").elements()) all.ensure("items").append(std::move(item));
    options.continue_token = page.at({"metadata", "continue"}).string();
  } while (!options.continue_token.empty());
  return all;
}

Result<Tree> ApiSession::create(const net::ResourceType& type, const Tree& object) {
  return ask([&](net::Client& client,
                 net::Done done) { return client.create(type, "", wire::to_json(object), std::move(done)); },
             "create", type, object.at({"metadata", "name"}).string());
}

Result<Tree> ApiSession::merge(const net::ResourceType& type, std::string_view name, const Tree& patch) {
  return ask(
      [&](net::Client& client, net::Done done) {
        return client.patch(type, "", name, "", net::PatchType::Merge, wire::to_json(patch), std::move(done));
      },
      "patch", type, name);
}

Result<std::string> ApiSession::own_name() {
  TAMP_TRY(const Tree answer,
           ask(
               [&](net::Client& client, net::Done done) {
                 return client.review(
                     kSelfReviews, R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})",
                     std::move(done));
               },
               "create", kSelfReviews, ""));
  return std::string(answer.at({"status", "userInfo", "username"}).string());
}

void ApiSession::wait(Duration time) {
  bool over = false;
  const net::Pending timer = loop_.after(time, [&] { over = true; });
  loop_.run_until([&] { return over; });
}

}  // namespace tamp::cli
