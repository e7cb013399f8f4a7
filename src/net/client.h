// Requests to the API server, one call for each verb. Calls are paced (rate_limit.h), wait while the server asks for it
// (Retry-After), and come back as a Reply whose error is one of the kinds that callers tell apart.
//
// What is repeated by itself, with backoff: reads, after anything that may pass; writes, only after a 429 by which the
// server refused to look at them. Never repeated: evictions (even a refused one costs a slot of the budget), Leases
// (the election has its own rhythm), and every write that may have been carried out; the caller reads first.
//
// A write gate holds back whoever is no longer the leader: it is asked at the moment of sending. Leases and
// reviews pass it, since the election needs the first and the second change nothing.
//
// Thread safety: none; lives on one loop. Done is called once, on the loop, never from within the call. Dropping the
// handle forgets the call; a write that was not sent by then is not sent. The client outlives its handles.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_patch.h"
#include "core/time.h"
#include "net/api_error.h"
#include "net/backoff.h"
#include "net/loop.h"
#include "net/rate_limit.h"
#include "net/resource.h"
#include "net/transport.h"

namespace tamp::net {

struct Reply {
  std::optional<ApiError> error;
  std::string body;               // of a success
  std::optional<Time> date = {};  // when it succeeded, by the server's clock, if it says
  bool ok() const { return !error; }
};
using Done = std::function<void(Reply)>;

struct RequestRecord {
  std::string_view
      verb;  // "get", "list", "watch", "create", "update", "patch", "apply", "delete", "evict", "review"
  std::string_view resource;  // "pods"
  int status = 0;             // 0 without an answer
  Duration duration;          // from sending to the answer; for a watch to its opening
  Duration waited;            // for its turn, before it was sent
};

struct ClientOptions {
  double qps = 50;
  int burst = 100;
  std::string field_manager = "tamp";
  Duration read_timeout = Duration::seconds(30);
  // Also told to the server. Not longer than what lies between the leader's own deadline and the end of its lease: what
  // it sent before the one should be over before the other.
  Duration write_timeout = Duration::seconds(5);
  // For reads and writes of Leases: short enough for a second try before the leader's deadline.
  Duration lease_timeout = Duration::seconds(3);
  int attempts = 4;  // of what may be repeated, the first included
  BackoffOptions backoff;
};

struct ListOptions {
  std::string ns;  // empty: all
  int limit = 0;   // 0: no pages
  std::string continue_token;
  std::string resource_version;  // with a continue token it is not sent: the server forbids it
  std::string resource_version_match;
  std::string label_selector, field_selector;
  bool repeat = true;  // false: the first error counts
};

struct WatchOptions {
  std::string ns;
  std::string resource_version;
  Duration lifetime = Duration::minutes(5);  // the server ends the watch after it
  std::string label_selector, field_selector;
};

struct RemoveOptions {
  std::string uid, resource_version;  // preconditions; empty: none
  std::optional<std::int64_t> grace_seconds;
  std::string propagation;  // "Background", "Foreground", "Orphan"; empty: the server's choice
  bool dry_run = false;
};

struct EvictOptions {
  std::string uid;  // REQUIRED: the pod that was meant, not its successor of the same name
  std::optional<std::int64_t> grace_seconds;
  bool dry_run = false;
};

enum class PatchType : std::uint8_t { Json, Merge, StrategicMerge };

class Client {
 public:
  Client(Loop& loop, ApiTransport& transport, ClientOptions options = {});
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void set_observer(std::function<void(const RequestRecord&)> observer) { observer_ = std::move(observer); }
  // While it returns false, writes are answered with Forbidden and the reason "Fenced" without being sent.
  void set_may_write(std::function<bool()> may_write) { may_write_ = std::move(may_write); }

  // ---- reads
  Pending get(const ResourceType& type, std::string_view ns, std::string_view name, Done done);
  Pending get_path(std::string path, Done done);  // "/version", "/apis/karpenter.sh"
  Pending list_page(const ResourceType& type, const ListOptions& options, Done done);
  // Not paced: a watch that ends is resumed by its owner's rules (reflector.h).
  Pending watch(const ResourceType& type, const WatchOptions& options, StreamSink sink);

  // ---- writes
  Pending create(const ResourceType& type, std::string_view ns, std::string body, Done done);
  // REQUIRES: the body carries metadata.resourceVersion.
  Pending replace(const ResourceType& type, std::string_view ns, std::string_view name, std::string body,
                  Done done);
  Pending patch(const ResourceType& type, std::string_view ns, std::string_view name,
                std::string_view subresource, PatchType patch_type, std::string body, Done done);
  // Server-side apply. With `force`, fields that others own become ours.
  Pending apply(const ResourceType& type, std::string_view ns, std::string_view name,
                std::string_view subresource, std::string body, bool force, Done done);
  Pending remove(const ResourceType& type, std::string_view ns, std::string_view name,
                 const RemoveOptions& options, Done done);
  Pending evict(std::string_view ns, std::string_view pod, const EvictOptions& options, Done done);
  // TokenReview, SubjectAccessReview: a question in the form of a create.
  Pending review(const ResourceType& type, std::string body, Done done);

 private:
  enum class Repeat : std::uint8_t { Never, IfRefused, Reads };
  struct Call {
    Request request;
    Done done;
    std::string_view verb, resource;
    Repeat repeat = Repeat::Never;
    bool urgent = false;
    bool fenced = false;      // asks the gate
    bool json_patch = false;  // see answered()
    int attempt = 0;
    Instant queued, sent;
    Pending under_way;  // the exchange, or the wait before the next attempt
  };
  using CallId = std::uint64_t;

  Pending submit(Call call);
  void enqueue(CallId id);
  void pump();
  void send(CallId id);
  void answered(CallId id, Exchange exchange);
  void finish(CallId id, Reply reply);
  void forget(CallId id);
  std::optional<ApiError> error_in(const Call& call, const Exchange& exchange) const;
  bool may_repeat(const Call& call, const ApiError& error) const;
  bool held_back(const Call& call) const { return call.fenced && may_write_ && !may_write_(); }
  Call write(Method method, std::string_view verb, const ResourceType& type, std::string path, Query query,
             std::string body, Done done) const;

  Loop& loop_;
  ApiTransport& transport_;
  ClientOptions options_;
  std::function<void(const RequestRecord&)> observer_;
  std::function<bool()> may_write_;
  TokenBucket bucket_;
  Instant paused_until_;
  std::deque<CallId> urgent_, normal_;
  std::map<CallId, Call> calls_;
  CallId next_id_ = 1;
  Pending wake_;
};

// ---- bodies

// The operations, to be carried out only if the object still has this resourceVersion.
std::string make_json_patch(std::string_view resource_version, const std::vector<PatchOperation>& operations);

}  // namespace tamp::net
