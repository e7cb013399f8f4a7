// The API server of the simulated cluster. It has two faces, with the same rules behind both: `handle` and `open_watch` speak
// HTTP as kubectl and our own client do, and the calls below them serve the controllers of the same world without bytes
// between.
//
// It is a value: a copy is a cluster of its own (open watches are not copied). It has no clock: whoever moves the world
// tells it the time. All that is random (uids, generated names) comes from its seed.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "sim/api/object.h"

namespace tamp::world::api {

// Who asks. Field managers are names of programs: ownership of fields is kept under them.
struct Caller {
  std::string user = "system:admin";
  std::string uid = {};
  std::vector<std::string> groups = {"system:masters", "system:authenticated"};
  std::string manager = "tamp-world";
  std::string credential = {};  // which of its tokens it has shown: "JTI=…"
};

// One HTTP request as the server understands it.
struct Request {
  std::string method;  // "GET", "POST", "PUT", "PATCH", "DELETE"
  std::string target;  // path and query, escaped
  std::string content_type;
  std::string accept;
  std::string user_agent;
  std::string authorization;  // "Bearer …"
  // Impersonate-User and Impersonate-Group: on whose behalf; for those who may.
  std::string impersonate_user = {};
  std::vector<std::string> impersonate_groups = {};
  std::string body;
};

struct Answer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::optional<Duration> retry_after = {};
  std::vector<std::string> warnings = {};
};

// What came of a call. Either `object` is what is now stored (or, after a removal, what was there last), or `failure` is
// a metav1.Status.
struct Outcome {
  int code = 200;
  ObjectPtr object;
  Tree failure;
  bool ok() const { return code < 300; }
  // The metav1.Status' reason ("Conflict", "NotFound", …) and message; empty if ok.
  std::string_view reason() const { return failure["reason"].string(); }
  std::string_view message() const { return failure["message"].string(); }
};

enum class PatchType : std::uint8_t { Json, Merge, Strategic, Apply };

struct WriteOptions {
  bool dry_run = false;
  bool force = false;            // of an Apply
  std::string manager = {};      // overrides the caller's
  std::string subresource = {};  // "status", "scale"; empty: the object itself
};

struct DeleteOptions {
  std::optional<std::string> uid = {}, resource_version = {};  // preconditions
  std::optional<std::int64_t> grace_seconds = {};
  std::string propagation = {};  // "Foreground", "Background", "Orphan"; empty: the kind's default
  bool dry_run = false;
};

using WatchId = std::uint64_t;

class Server {
 public:
  explicit Server(std::uint64_t seed = 1, Time now = Time{1'794'700'800'000'000'000});
  Server(const Server&);  // a fork: without the watches
  Server(Server&&) noexcept;
  Server& operator=(const Server&) = delete;
  Server& operator=(Server&&) noexcept;
  ~Server();

  // ---- time. It never goes back.
  void set_now(Time now);
  Time now() const;

  // ---- HTTP
  // Everything but watches; a watch is answered 400 here.
  Answer handle(const Request& request);
  // A watch: its id, or why not. `news` is called whenever there may be another frame; it must not call the server.
  struct Watch {
    std::optional<WatchId> id;
    Answer refusal;
  };
  bool is_watch(const Request& request) const;
  Watch open_watch(const Request& request, std::function<void()> news = {});
  // The next frame: one line of JSON with its newline. Nothing if there is none now; `watch_ended` tells whether there will
  // be another.
  std::optional<std::string> next_frame(WatchId watch);
  bool watch_ended(WatchId watch) const;
  void close_watch(WatchId watch);

  // Tokens that authenticate: those of users are set, those of ServiceAccounts are made by the TokenRequest subresource.
  void add_token(std::string token, Caller caller);
  // Whether metadata.managedFields is kept (it is, unless told otherwise). A sixth of a simulation's time goes there, and
  // where nobody applies or reads it, it changes nothing else.
  void track_managers(bool track);

  // ---- for the world's own controllers; `ns` is empty for cluster-scoped resources
  ObjectPtr get(ResourceId resource, std::string_view ns, std::string_view name) const;
  // In the order of namespace and name. The reference is good until the next write.
  using Key = ObjectKey;  // namespace, name
  const Objects& objects(ResourceId resource) const;
  // Those of one namespace.
  std::vector<ObjectPtr> list(ResourceId resource, std::string_view ns) const;
  // A resource by its group and plural name, for custom ones. Nothing if it is not served.
  std::optional<ResourceId> find_resource(std::string_view group, std::string_view plural) const;

  Outcome create(ResourceId resource, std::string_view ns, Tree object, const WriteOptions& options = {});
  // With the object's resourceVersion, if it has one, as precondition.
  Outcome update(ResourceId resource, std::string_view ns, std::string_view name, Tree object,
                 const WriteOptions& options = {});
  Outcome patch(ResourceId resource, std::string_view ns, std::string_view name, PatchType type,
                const Tree& patch, const WriteOptions& options = {});
  Outcome remove(ResourceId resource, std::string_view ns, std::string_view name,
                 const DeleteOptions& options = {});
  Outcome evict(std::string_view ns, std::string_view pod, const DeleteOptions& options = {});
  Outcome bind(std::string_view ns, std::string_view pod, std::string_view node);

  // Reads the object, lets `change` change a copy, and writes it back with its resourceVersion: what a controller that
  // has just seen the object does. A change that changes nothing writes nothing.
  Outcome modify(ResourceId resource, std::string_view ns, std::string_view name,
                 const std::function<void(Tree&)>& change, const WriteOptions& options = {});

  // ---- what happened: changes in order, kept for as long as watches need them
  std::uint64_t revision() const;
  // The first change after `revision`; nullptr if there is none.
  const Change* change_after(std::uint64_t revision) const;
  // How many changes are kept; older ones answer a watch with 410.
  void keep_changes(std::size_t count);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What the rooms of the world ask of objects again and again.
std::string format_time(Time time);        // metav1.Time: "2026-11-15T00:00:00Z"
std::string format_micro_time(Time time);  // metav1.MicroTime
// The ownerReference with controller: true; a null tree if there is none.
const Tree& controller_of(const Object& object);
// {"apiVersion", "kind", "name", "uid", "controller": true, "blockOwnerDeletion": true}
Tree owner_reference(const Object& owner, bool controller = true);
// metav1.LabelSelector over metadata.labels (or any labels). A null selector selects nothing, an empty one everything.
bool selects(const Tree& selector, const Tree& labels);
// Of status.conditions; nullptr if there is none of that type.
const Tree* find_condition(const Tree& object, std::string_view type);
bool condition_true(const Tree& object, std::string_view type);
// Sets or adds a condition; lastTransitionTime changes only with its status. Returns whether anything changed.
bool set_condition(Tree& object, std::string_view type, std::string_view status, std::string_view reason,
                   std::string_view message, Time now);

}  // namespace tamp::world::api
