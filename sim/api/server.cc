#include "sim/api/server.h"

#include <utility>

#include "sim/api/backend.h"
#include "sim/api/binding.h"
#include "sim/api/eviction.h"
#include "sim/api/expiry.h"
#include "sim/api/patching.h"
#include "sim/api/removal.h"
#include "sim/api/rest.h"
#include "sim/api/status.h"
#include "sim/api/watch.h"
#include "sim/api/write.h"

namespace tamp::world::api {

struct Server::State {
  Backend backend;
  Watches watches;

  // Runs a write and tells the watches of it.
  template <typename Write>
  Outcome write(ResourceId id, Write run) {
    const Resource* resource = backend.registry.find(id);
    if (resource == nullptr) return no_such_path();
    const std::uint64_t before = backend.store.revision();
    Outcome outcome = run(*resource);
    if (backend.store.revision() != before) watches.tell(backend, before);
    return outcome;
  }
};

Server::Server(std::uint64_t seed, Time now)
    : state_(std::make_unique<State>(State{Backend{{}, {}, {}, {}, Dice(seed), now, {}, {}}, {}})) {}
Server::Server(const Server& other) : state_(std::make_unique<State>(State{other.state_->backend, {}})) {}
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&&) noexcept = default;
Server::~Server() = default;

void Server::set_now(Time now) {
  Backend& backend = state_->backend;
  backend.now = now;
  const std::uint64_t before = backend.store.revision();
  drop_expired_events(backend);
  if (backend.store.revision() != before) state_->watches.tell(backend, before);
  state_->watches.time_went_on(now);
}
Time Server::now() const { return state_->backend.now; }

namespace {

const Caller& world_itself() {
  static const Caller kItself;
  return kItself;
}

Writing writing_of(const WriteOptions& options) {
  Writing writing;
  writing.caller = &world_itself();
  writing.manager = options.manager;
  writing.subresource = options.subresource;
  writing.dry_run = options.dry_run;
  writing.force = options.force;
  writing.of_the_world = true;
  return writing;
}

// An object whose fields have owners keeps them; for others the world's own controllers do without, which is faster.
Writing writing_of(const WriteOptions& options, const ObjectPtr& current) {
  Writing writing = writing_of(options);
  if (writing.manager.empty() && current && current->metadata().has("managedFields"))
    writing.manager = world_itself().manager;
  return writing;
}

}  // namespace

ObjectPtr Server::get(ResourceId resource, std::string_view ns, std::string_view name) const {
  return state_->backend.store.get(resource, ns, name);
}

const Objects& Server::objects(ResourceId resource) const { return state_->backend.store.objects(resource); }

std::vector<ObjectPtr> Server::list(ResourceId resource, std::string_view ns) const {
  const Objects& all = objects(resource);
  std::vector<ObjectPtr> found;
  for (auto it = all.lower_bound(std::pair(ns, std::string_view())); it != all.end() && it->first.first == ns;
       ++it)
    found.push_back(it->second);
  return found;
}

std::optional<ResourceId> Server::find_resource(std::string_view group, std::string_view plural) const {
  const Resource* resource = state_->backend.registry.find(group, plural);
  if (resource == nullptr) return {};
  return resource->id;
}

Outcome Server::create(ResourceId id, std::string_view ns, Tree object, const WriteOptions& options) {
  return state_->write(id, [&](const Resource& resource) {
    object.set("apiVersion", resource.api_version());
    object.set("kind", resource.kind);
    return create_object(state_->backend, resource, ns, std::move(object), writing_of(options));
  });
}

Outcome Server::update(ResourceId id, std::string_view ns, std::string_view name, Tree object,
                       const WriteOptions& options) {
  return state_->write(id, [&](const Resource& resource) {
    object.set("apiVersion", resource.api_version());
    object.set("kind", resource.kind);
    object.ensure("metadata").set("name", name);
    return replace_object(state_->backend, resource, ns, name, std::move(object),
                          writing_of(options, get(id, ns, name)));
  });
}

Outcome Server::modify(ResourceId id, std::string_view ns, std::string_view name,
                       const std::function<void(Tree&)>& change, const WriteOptions& options) {
  return state_->write(id, [&](const Resource& resource) -> Outcome {
    const ObjectPtr current = get(id, ns, name);
    if (!current) return not_found(resource, name);
    Tree updated = current->tree();
    change(updated);
    if (updated == current->tree()) return {200, current, {}};
    return write_over(state_->backend, resource, current, std::move(updated), writing_of(options, current));
  });
}

Outcome Server::patch(ResourceId id, std::string_view ns, std::string_view name, PatchType type,
                      const Tree& patch, const WriteOptions& options) {
  return state_->write(id, [&](const Resource& resource) {
    Writing writing = writing_of(options, get(id, ns, name));
    if (type == PatchType::Apply && writing.manager.empty()) writing.manager = world_itself().manager;
    return patch_object(state_->backend, resource, ns, name, patch, {type, false, nullptr}, writing);
  });
}

Outcome Server::remove(ResourceId id, std::string_view ns, std::string_view name,
                       const DeleteOptions& options) {
  return state_->write(id, [&](const Resource& resource) {
    return remove_object(state_->backend, resource, ns, name, options).outcome;
  });
}

Outcome Server::bind(std::string_view ns, std::string_view pod, std::string_view node) {
  return state_->write(ResourceId::Pods, [&](const Resource&) {
    const Tree binding = Tree::object({{"target", Tree::object({{"kind", "Node"}, {"name", node}})}});
    return bind_pod(state_->backend, ns, pod, binding, writing_of({}));
  });
}

Outcome Server::evict(std::string_view ns, std::string_view pod, const DeleteOptions& options) {
  return state_->write(ResourceId::Pods,
                       [&](const Resource&) { return evict_pod(state_->backend, ns, pod, options); });
}

std::uint64_t Server::revision() const { return state_->backend.store.revision(); }
const Change* Server::change_after(std::uint64_t revision) const {
  return state_->backend.store.change_after(revision);
}
void Server::keep_changes(std::size_t count) { state_->backend.store.keep_changes(count); }

void Server::add_token(std::string token, Caller caller) {
  state_->backend.tokens.insert_or_assign(std::move(token), Token{std::move(caller)});
}
void Server::track_managers(bool track) { state_->backend.tracks_managers = track; }

Answer Server::handle(const Request& request) {
  Backend& backend = state_->backend;
  const std::uint64_t before = backend.store.revision();
  Answer given = answer(backend, request);
  if (backend.store.revision() != before) state_->watches.tell(backend, before);
  return given;
}

bool Server::is_watch(const Request& request) const { return asks_for_watch(request); }

Server::Watch Server::open_watch(const Request& request, std::function<void()> news) {
  WatchOpening opening = answer_watch(state_->backend, request);
  if (!opening.asked) return {{}, std::move(opening.refusal)};
  return {state_->watches.open(*std::move(opening.asked), std::move(news), now()), {}};
}

std::optional<std::string> Server::next_frame(WatchId watch) {
  return state_->watches.next_frame(state_->backend, watch);
}
bool Server::watch_ended(WatchId watch) const { return state_->watches.ended(watch); }
void Server::close_watch(WatchId watch) { state_->watches.close(watch); }

}  // namespace tamp::world::api
