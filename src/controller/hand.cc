#include "controller/hand.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "documents/claim_body.h"
#include "documents/marks.h"
#include "run/resident.h"
#include "wire/snapshot.h"

namespace tamp::controller {
namespace {

using run::Conclusion;
using run::MutationKind;
using run::MutationState;
using wire::Tree;
using Kind = net::ApiError::Kind;

constexpr net::ResourceType kNodeClaims{"karpenter.sh", "v1", "nodeclaims", false};
constexpr net::ResourceType kNodePools{"karpenter.sh", "v1", "nodepools", false};
constexpr int kMostConflicts = 5;
constexpr Duration kLater = Duration::seconds(5);

bool about_claim(MutationKind kind) {
  return kind == MutationKind::DeleteClaim || kind == MutationKind::ReleaseClaim ||
         kind == MutationKind::CreateClaim;
}

Conclusion concluded(MutationState state, std::string reason = {}, std::string message = {}) {
  Conclusion out;
  out.state = state;
  out.reason = std::move(reason);
  out.message = std::move(message);
  return out;
}

// Everything that earlier entries put on this node, for nodes whose note others removed.
std::vector<std::string> added_on(const run::Run& run, std::string_view node) {
  std::vector<std::string> added;
  for (const run::Mutation& entry : run.journal.entries)
    if (entry.name == node && entry.ns.empty())
      added.insert(added.end(), entry.added.begin(), entry.added.end());
  std::sort(added.begin(), added.end());
  added.erase(std::unique(added.begin(), added.end()), added.end());
  return added;
}

// How the API server answers an eviction under two budgets: with nothing in it that a program could go by. A
// failure of the server's own has a reason (InternalError) or another code.
bool bare_failure(const net::ApiError& error) {
  return error.kind == Kind::ServerError && error.status == 500 && error.reason.empty() &&
         error.causes.empty();
}

// If several budgets of its namespace select the pod, nobody can evict it. Nothing: they do not, or it cannot
// be told.
std::optional<Conclusion> several_budgets(const std::string& pod, std::string budgets) {
  auto object = wire::read_tree(pod);
  if (!object) return std::nullopt;
  object->ensure("spec").erase("nodeName");  // a pod of a node that is not among the objects is not read
  wire::Inputs inputs;
  inputs.objects = {{"pod", wire::to_json(*object)}, {"budgets", std::move(budgets)}};
  const auto seen = wire::read_snapshot(inputs);
  if (!seen || seen->cluster.pods.empty()) return std::nullopt;
  const Cluster& cluster = seen->cluster;
  const Pod& one = cluster.pods.front();
  std::string names;
  std::size_t count = 0;
  for (const PodDisruptionBudget& budget : cluster.budgets) {
    if (budget.ns != one.ns || !budget.selector || !matches(*budget.selector, cluster.labels(one))) continue;
    names +=
        fmt::format("{}{}/{}", count++ == 0 ? "" : ", ", cluster.text(budget.ns), cluster.text(budget.name));
  }
  if (count < 2) return std::nullopt;
  return concluded(MutationState::Failed, "TwoBudgets",
                   fmt::format("{} PodDisruptionBudgets select pod {}/{}: {}", count, cluster.text(one.ns),
                               cluster.text(one.name), names));
}

}  // namespace

void BudgetQuestion::ask(std::string_view ns, std::string_view pod,
                         std::function<void(std::optional<Conclusion>)> done) {
  ns_ = ns;
  done_ = std::move(done);
  request_ = client_.get(net::kPods, ns, pod, [this](net::Reply reply) {
    if (!reply.ok()) return done_(std::nullopt);
    list_budgets(std::move(reply.body));
  });
}

void BudgetQuestion::list_budgets(std::string pod) {
  net::ListOptions options;
  options.ns = ns_;
  request_ = client_.list_page(
      wire::ObjectKind::PodDisruptionBudget, options, [this, pod = std::move(pod)](net::Reply reply) {
        done_(reply.ok() ? several_budgets(pod, std::move(reply.body)) : std::nullopt);
      });
}

Conclusion conclusion_of(const net::ApiError& error) {
  Conclusion out;
  out.message = error.text();
  out.retry_after = error.retry_after;
  const auto say = [&](MutationState state, const char* reason) {
    out.state = state;
    out.reason = reason;
  };
  switch (error.kind) {
    case Kind::NotFound:
    case Kind::Gone:
      say(MutationState::Failed, "Gone");
      break;
    case Kind::Forbidden:
    case Kind::Unauthorized:
      say(MutationState::Failed, "Denied");
      break;
    case Kind::DisruptionBudget:
      say(MutationState::Blocked, "Budget");
      break;
    case Kind::Throttled:
      say(MutationState::Blocked, "Throttled");
      break;
    case Kind::Conflict:
    case Kind::AlreadyExists:
      say(MutationState::Blocked, "Conflict");
      break;
    case Kind::BadRequest:
    case Kind::Invalid:
      say(MutationState::Failed, "Invalid");
      break;
    case Kind::ServerError:
    case Kind::Unreachable:
    case Kind::Timeout:
    case Kind::Other:
      // What was only read, or never got to the server, can simply be tried again.
      say(error.maybe_done ? MutationState::Unclear : MutationState::Blocked, "Unreachable");
      break;
  }
  if (out.state == MutationState::Blocked && !out.retry_after) out.retry_after = kLater;
  return out;
}

Errand::Errand(net::Client& client, const run::Run& run, const run::Mutation& mutation,
               std::function<void(Deed)> done)
    : client_(client), mutation_(mutation), done_(std::move(done)), budgets_(client) {
  run_.name = run.name;
  run_.uid = run.uid;
  run_.replacement = run.replacement;
  run_.claim = run.claim;
  if (mutation.ns.empty()) added_before_ = added_on(run, mutation.name);
}

void Errand::begin() {
  if (mutation_.kind != MutationKind::CreateClaim) return read_object();
  if (!run_.replacement)
    return refused({Kind::Invalid, 0, "", "the run has no replacement to create", {}, false, {}});
  read(kNodePools, "", run_.replacement->pool, &Errand::create_claim);
}

void Errand::read_object() {
  if (mutation_.kind == MutationKind::Evict)
    return read(net::kPods, mutation_.ns, mutation_.name, &Errand::evict);
  if (mutation_.kind == MutationKind::DeleteClaim)
    return read(kNodeClaims, "", mutation_.name, &Errand::delete_claim);
  read(about_claim(mutation_.kind) ? kNodeClaims : net::kNodes, "", mutation_.name, &Errand::edit);
}

void Errand::read(const net::ResourceType& type, std::string_view ns, std::string_view name,
                  void (Errand::*then)(const Tree&)) {
  request_ = client_.get(type, ns, name, [this, then](net::Reply reply) {
    if (!reply.ok()) return refused(*reply.error);
    const auto object = wire::read_tree(reply.body);
    if (!object) return refused({Kind::Other, 0, "", object.error().message, {}, false, {}});
    (this->*then)(*object);
  });
}

bool Errand::other_object(const Tree& object) {
  const std::string_view uid = object.at({"metadata", "uid"}).string();
  if (mutation_.uid.empty() || uid == mutation_.uid) return false;
  finish(concluded(MutationState::Failed, "OtherObject",
                   mutation_.name + " is another object now, of uid " + std::string(uid)));
  return true;
}

void Errand::edit(const Tree& object) {
  // The claim of a replacement carries note and protection as a node does.
  const documents::Edit edit = documents::edit_node(object, mutation_, run_.name, added_before_);
  if (edit.answer == documents::Edit::Answer::OtherObject)
    return finish(concluded(MutationState::Failed, "OtherObject", mutation_.name + " is another object now"));
  Conclusion done = concluded(MutationState::Done);
  done.added = edit.added;
  if (edit.answer == documents::Edit::Answer::NothingToDo)
    return finish(std::move(done), std::string(object.at({"metadata", "resourceVersion"}).string()));
  const net::ResourceType& type = about_claim(mutation_.kind) ? kNodeClaims : net::kNodes;
  sent_ = true;
  request_ = client_.patch(
      type, "", mutation_.name, "", net::PatchType::Json, make_json_patch(edit.operations),
      [this, done](net::Reply reply) {
        if (!reply.ok()) {
          if (reply.error->kind == Kind::Conflict) return again_or_blocked(*reply.error);
          return refused(*reply.error);
        }
        const auto written = wire::read_tree(reply.body);
        finish(done, written ? std::string(written->at({"metadata", "resourceVersion"}).string()) : "");
      });
}

void Errand::evict(const Tree& pod) {
  if (other_object(pod)) return;
  if (pod.at({"metadata"}).has("deletionTimestamp")) return finish(concluded(MutationState::Done));
  net::EvictOptions options;
  options.uid = mutation_.uid;
  sent_ = true;
  request_ = client_.evict(mutation_.ns, mutation_.name, options, [this](net::Reply reply) {
    if (reply.ok()) return finish(concluded(MutationState::Done));
    if (reply.error->kind == Kind::NotFound) return finish(concluded(MutationState::Done, "Gone"));
    // Another pod of that name, or a write that came between: the pod itself will tell.
    if (reply.error->kind == Kind::Conflict) return again_or_blocked(*reply.error);
    if (!bare_failure(*reply.error)) return refused(*reply.error);
    budgets_.ask(mutation_.ns, mutation_.name,
                 [this, error = *reply.error](std::optional<Conclusion> several) {
                   several ? finish(std::move(*several)) : refused(error);
                 });
  });
}

void Errand::create_claim(const Tree& pool) {
  auto body = documents::write_claim(run_, pool);
  if (!body) return refused({Kind::Invalid, 0, "", body.error().message, {}, false, {}});
  sent_ = true;
  request_ = client_.create(kNodeClaims, "", std::move(*body), [this](net::Reply reply) {
    if (!reply.ok()) {
      if (reply.error->kind == Kind::AlreadyExists)
        return read(kNodeClaims, "", mutation_.name, &Errand::claim_exists);
      return refused(*reply.error);
    }
    const auto made = wire::read_tree(reply.body);
    if (!made) return refused({Kind::Other, 0, "", made.error().message, {}, true, {}});
    claim_exists(*made);
  });
}

// Ours if its note says so: it may have been made by an attempt whose answer was lost.
void Errand::claim_exists(const Tree& claim) {
  const Tree& annotations = claim.at({"metadata", "annotations"});
  const auto note = documents::read_note(annotations[run::kNote].string());
  if (!note || std::find(note->runs.begin(), note->runs.end(), run_.name) == note->runs.end())
    return finish(concluded(MutationState::Failed, "OtherObject",
                            "a NodeClaim " + mutation_.name + " exists that this run did not make"));
  Conclusion done = concluded(MutationState::Done);
  done.uid = claim.at({"metadata", "uid"}).string();
  finish(std::move(done));
}

void Errand::delete_claim(const Tree& claim) {
  if (other_object(claim)) return;
  if (claim.at({"metadata"}).has("deletionTimestamp")) return finish(concluded(MutationState::Done));
  claim_uid_ = claim.at({"metadata", "uid"}).string();
  const std::string node(claim.at({"status", "nodeName"}).string());
  if (node.empty()) return remove_claim();
  // Without its Node there is nothing to take from anybody: what was bound to it is about to be collected.
  request_ = client_.get(net::kNodes, "", node, [this, node](net::Reply reply) {
    if (!reply.ok()) return reply.error->kind == Kind::NotFound ? remove_claim() : refused(*reply.error);
    look_for_residents(node, std::move(reply.body));
  });
}

// From the store and not from the watches: the decision may be old, and of another leader.
void Errand::look_for_residents(const std::string& node, std::string object) {
  net::ListOptions options;
  options.field_selector = "spec.nodeName=" + node;
  request_ = client_.list_page(
      net::kPods, options, [this, node, object = std::move(object)](net::Reply reply) mutable {
        if (!reply.ok()) return refused(*reply.error);
        wire::Inputs inputs;
        inputs.objects = {{"node", std::move(object)}, {"pods", std::move(reply.body)}};
        const auto seen = wire::read_snapshot(inputs);
        const NodeId id = seen ? seen->cluster.find_node(node) : NodeId();
        if (!id.valid())
          return refused(
              {Kind::Other, 0, "", seen ? "no Node " + node : seen.error().message, {}, false, {}});
        const Cluster& cluster = seen->cluster;
        const Pod* const pod = run::resident(cluster, cluster.nodes[id.index()]);
        if (pod == nullptr) return remove_claim();
        finish(concluded(
            MutationState::Failed, "InUse",
            fmt::format("pod {}/{} runs on node {}", cluster.text(pod->ns), cluster.text(pod->name), node)));
      });
}

void Errand::remove_claim() {
  net::RemoveOptions options;
  options.uid = claim_uid_;
  sent_ = true;
  request_ = client_.remove(kNodeClaims, "", mutation_.name, options, [this](net::Reply reply) {
    if (reply.ok() || reply.error->kind == Kind::NotFound) return finish(concluded(MutationState::Done));
    if (reply.error->kind == Kind::Conflict) return again_or_blocked(*reply.error);
    refused(*reply.error);
  });
}

void Errand::again_or_blocked(const net::ApiError& error) {
  sent_ = false;  // it was refused
  if (++conflicts_ < kMostConflicts) return read_object();
  refused(error);
}

void Errand::refused(const net::ApiError& error) {
  if (error.reason == "Fenced") {
    Deed deed;
    deed.fenced = true;
    return std::exchange(done_, nullptr)(std::move(deed));
  }
  Conclusion conclusion = conclusion_of(error);
  if (mutation_.kind == MutationKind::Evict && conclusion.reason == "Gone")
    conclusion = concluded(MutationState::Done, "Gone");
  finish(std::move(conclusion));
}

void Errand::finish(Conclusion conclusion, std::string resource_version) {
  Deed deed;
  deed.conclusion = std::move(conclusion);
  if (!about_claim(mutation_.kind)) deed.resource_version = std::move(resource_version);
  std::exchange(done_, nullptr)(std::move(deed));
}

Rehearsal::Rehearsal(net::Client& client, const run::Departing& move, std::function<void(Conclusion)> done)
    : client_(client),
      ns_(move.ns),
      name_(move.name),
      uid_(move.uid),
      done_(std::move(done)),
      budgets_(client) {}

void Rehearsal::begin() {
  net::EvictOptions options;
  options.uid = uid_;
  options.dry_run = true;
  request_ = client_.evict(ns_, name_, options, [this](net::Reply reply) {
    reply.ok() ? finish(concluded(MutationState::Done)) : refused(*reply.error);
  });
}

void Rehearsal::refused(const net::ApiError& error) {
  if (bare_failure(error))
    return budgets_.ask(ns_, name_, [this, error](std::optional<Conclusion> several) {
      finish(several ? std::move(*several) : conclusion_of(error));
    });
  Conclusion conclusion = conclusion_of(error);
  if (error.kind == Kind::Conflict) {
    conclusion.state = MutationState::Failed;
    conclusion.reason = "OtherObject";
  }
  finish(std::move(conclusion));
}

void Rehearsal::finish(Conclusion conclusion) { std::exchange(done_, nullptr)(std::move(conclusion)); }

}  // namespace tamp::controller
