#include "sim/campaign/mutants.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <set>

#include "wire/tree.h"

namespace tamp::sim {
namespace {

using net::Method;
using wire::Tree;
using world::api::ResourceId;

constexpr std::array<std::string_view, kMutants> kNames = {"none",
                                                           "evict-without-uid",
                                                           "delete-instead-of-evict",
                                                           "grace-of-our-own",
                                                           "skip-dry-run",
                                                           "skip-journal",
                                                           "release-early",
                                                           "remove-foreign-mark",
                                                           "lift-foreign-cordon",
                                                           "overwrite-foreign-mark",
                                                           "evict-out-of-order",
                                                           "evict-after-abort",
                                                           "repeat-eviction",
                                                           "forget-release",
                                                           "uncordon-before-taint",
                                                           "ignore-fence",
                                                           "blind-watch",
                                                           "approve-by-itself",
                                                           "unknown-is-zero",
                                                           "forget-protection",
                                                           "skip-revalidation"};

Tree parse(const std::string& text) {
  auto tree = wire::read_tree(text);
  return tree ? *std::move(tree) : Tree();
}

net::Response ok(const Tree& tree, int status = 200) { return {status, wire::to_json(tree), {}}; }

bool adds_cordon(const Tree& patch) {
  for (const Tree& operation : patch.elements())
    if (operation["path"].string() == "/spec/unschedulable" && operation["value"].boolean()) return true;
  return false;
}
bool touches(const Tree& patch, std::string_view op, std::string_view part) {
  for (const Tree& operation : patch.elements())
    if (operation["path"].string().find(part) != std::string_view::npos &&
        (op.empty() || operation["op"].string() == op))
      return true;
  return false;
}

struct Context {
  Mutant mutant;
  world::api::Server& server;
  const std::map<std::string, RunView>& runs;
  const std::string& published;
  std::string last_lease;            // what was last written to the Lease: the fence ignored
  std::set<std::string> blind;       // names of pods that were there
  std::optional<net::Request> past;  // an eviction that was sent

  std::optional<net::Response> eviction(const Call& call, net::Request& request);
  std::optional<net::Response> node(const Call& call, net::Request& request);
};

std::optional<net::Response> Context::eviction(const Call& call, net::Request& request) {
  if (call.dry_run) {
    if (mutant == Mutant::SkipDryRun)
      return net::Response{201, R"({"kind":"Status","apiVersion":"v1","status":"Success"})", {}};
    return std::nullopt;
  }
  Tree body = parse(request.body);
  switch (mutant) {
    case Mutant::EvictWithoutUid:
      body.ensure("deleteOptions").erase("preconditions");
      request.body = wire::to_json(body);
      break;
    case Mutant::DeleteInsteadOfEvict:
      request.method = Method::Delete;
      request.target = request.target.substr(0, request.target.find("/eviction"));
      request.body = wire::to_json(body["deleteOptions"]);
      break;
    case Mutant::GraceOfOurOwn:
      body.ensure("deleteOptions").set("gracePeriodSeconds", 0);
      request.body = wire::to_json(body);
      break;
    case Mutant::EvictOutOfOrder: {
      const std::string uid(body.at({"deleteOptions", "preconditions", "uid"}).string());
      for (const auto& [name, run] : runs) {
        if (run.move(uid) == nullptr) continue;
        const RunView::Move* last = run.move(uid);
        for (const RunView::Move& move : run.moves)
          if (move.tier > last->tier && server.get(ResourceId::Pods, move.ns, move.name)) last = &move;
        request.target = fmt::format("/api/v1/namespaces/{}/pods/{}/eviction", last->ns, last->name);
        body.ensure({"metadata", "namespace"}) = last->ns;
        body.ensure({"metadata", "name"}) = last->name;
        body.ensure({"deleteOptions", "preconditions", "uid"}) = last->uid;
        request.body = wire::to_json(body);
      }
      break;
    }
    default:
      break;
  }
  return std::nullopt;
}

std::optional<net::Response> Context::node(const Call& call, net::Request& request) {
  Tree patch = parse(request.body);
  const auto live = server.get(ResourceId::Nodes, "", call.name);
  if (!live) return std::nullopt;
  const bool protects = touches(patch, "add", "do-not-disrupt") ||
                        touches(patch, "add", "scale-down-disabled") ||
                        (touches(patch, "add", "/metadata/annotations") && !adds_cordon(patch));
  const bool releases =
      touches(patch, "remove", "temper.codes~1run") || touches(patch, "remove", "annotations/");
  switch (mutant) {
    case Mutant::OverwriteForeignMark:
      if (protects && live->metadata()["annotations"].has("autoscaling.cast.ai/removal-disabled") &&
          live->metadata()["annotations"]["autoscaling.cast.ai/removal-disabled"].string() != "true") {
        patch.append(Tree::object({{"op", "add"},
                                   {"path", "/metadata/annotations/autoscaling.cast.ai~1removal-disabled"},
                                   {"value", "true"}}));
        request.body = wire::to_json(patch);
      }
      break;
    case Mutant::RemoveForeignMark:
      if (releases && live->metadata()["annotations"].has("autoscaling.cast.ai/removal-disabled") &&
          !touches(patch, "remove", "removal-disabled")) {
        patch.append(Tree::object(
            {{"op", "remove"}, {"path", "/metadata/annotations/autoscaling.cast.ai~1removal-disabled"}}));
        request.body = wire::to_json(patch);
      }
      break;
    case Mutant::LiftForeignCordon:
      if (releases && live->spec()["unschedulable"].boolean() && !touches(patch, "", "/spec/unschedulable")) {
        patch.append(Tree::object({{"op", "remove"}, {"path", "/spec/unschedulable"}}));
        request.body = wire::to_json(patch);
      }
      break;
    case Mutant::ForgetRelease:
      if (releases) return ok(live->tree());
      break;
    case Mutant::UncordonBeforeTaint:
      if (touches(patch, "", "/spec/taints") && live->spec()["unschedulable"].boolean() && !releases) {
        std::erase_if(patch.elements(), [](const Tree& operation) {
          return operation["path"].string().starts_with("/spec/taints");
        });
        patch.append(Tree::object({{"op", "remove"}, {"path", "/spec/unschedulable"}}));
        request.body = wire::to_json(patch);
      }
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Mutant mutant) { return kNames.at(static_cast<std::size_t>(mutant)); }

std::optional<Mutant> mutant_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames.at(i) == name) return static_cast<Mutant>(i);
  return std::nullopt;
}

Recipe with_occasion(Recipe recipe, Mutant mutant) {
  const auto add = [&](TroubleKind kind, const char* phase) {
    Trouble trouble;
    trouble.kind = kind;
    trouble.phase = phase;
    trouble.lasting = Duration::seconds(60);
    trouble.salt = recipe.seed;
    recipe.troubles.push_back(trouble);
  };
  if (mutant == Mutant::IgnoreFence) {
    recipe.controllers = 2;
    add(TroubleKind::TakeOver, recipe.seed % 2 == 0 ? "Draining" : "Protecting");
  }
  if (mutant == Mutant::BlindWatch) add(TroubleKind::Intruder, "Validating");
  // An autoscaler that passes over cordoned nodes.
  if (mutant == Mutant::UncordonBeforeTaint && recipe.scenario.autoscaler.has("skipsCordoned"))
    recipe.scenario.autoscaler.set("skipsCordoned", true);
  return recipe;
}

Wire::Tamper make_tamper(Mutant mutant, world::api::Server& server,
                         const std::map<std::string, RunView>& runs, const std::string& published) {
  if (mutant == Mutant::None) return {};
  auto context = std::make_shared<Context>(Context{mutant, server, runs, published, {}, {}, {}});
  return [context](net::Request& request) -> std::optional<net::Response> {
    Call call = take_apart(request);
    if (call.resource == "leases" && context->mutant == Mutant::IgnoreFence) {
      // Believes in its Lease, whatever others wrote meanwhile.
      if (call.write()) {
        Tree body = parse(request.body);
        if (!body.is_object()) return std::nullopt;
        const auto live = context->server.get(ResourceId::Leases, "tamp-system", "tamp-controller");
        if (context->last_lease.empty() || !live) {
          context->last_lease = request.body;
          return std::nullopt;
        }
        context->last_lease = request.body;
        body.ensure({"metadata", "resourceVersion"}) = live->metadata()["resourceVersion"];
        return ok(body);
      }
      if (!context->last_lease.empty() && !call.name.empty()) return ok(parse(context->last_lease));
      return std::nullopt;
    }
    if (call.subresource == "eviction") {
      if (!call.dry_run) context->past = request;
      return context->eviction(call, request);
    }
    if (call.resource == "nodes" && call.write()) return context->node(call, request);
    if (call.resource == "nodes" && !call.name.empty() && context->mutant == Mutant::ForgetProtection) {
      // Whoever believes that the third annotation is there does not set it.
      const auto live = context->server.get(ResourceId::Nodes, "", call.name);
      if (!live) return std::nullopt;
      Tree object = live->tree();
      object.ensure({"metadata", "annotations", "autoscaling.cast.ai/removal-disabled"}) = "true";
      return ok(object);
    }
    if (call.resource == "consolidationruns" && call.subresource == "status" && call.write() &&
        context->mutant == Mutant::SkipJournal && request.body.find("\"Intended\"") != std::string::npos) {
      // As if it had been stored: the object with the new status, but only in the answer.
      const auto id = context->server.find_resource("temper.codes", "consolidationruns");
      const auto live = id ? context->server.get(*id, "", call.name) : nullptr;
      if (!live) return std::nullopt;
      Tree object = live->tree();
      const Tree patch = parse(request.body);
      for (const Tree& operation : patch.elements())
        if (operation["path"].string() == "/status") object.set("status", operation["value"]);
      return ok(object);
    }
    return std::nullopt;
  };
}

}  // namespace tamp::sim
