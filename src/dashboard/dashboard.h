// The dashboard over HTTP: its pages, its API under /api/v1, and its events. What is shown comes from the last Look that was published;
// what people do goes to the API server with their own rights.
//
//   request ─▶ pages
//           └▶ route ─▶ who? (sessions; the API server when that is old) ─▶ may they? ─▶ document (worker) or action (loop)
//
// Nothing of it runs on the controller's loop but questions to the API server, and how many requests are served at a time is bounded
// everywhere: a controller with two hundred open pages decides as fast as one without.
//
// Thread safety: answer() and show() may be called on any thread; everything else on the loop that `post` posts to, where it is also
// destroyed, after the server that calls it has stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dashboard/audit_collection.h"
#include "dashboard/dashboard_actions.h"
#include "dashboard/dashboard_route.h"
#include "dashboard/event_hub.h"
#include "dashboard/sessions.h"
#include "dashboard/user_rights.h"
#include "documents/look.h"
#include "net/client.h"
#include "net/http_server.h"
#include "net/worker.h"

namespace tamp::dashboard {

struct DashboardOptions {
  // False: whoever reaches the port is `user`, with every right. Only for a port on loopback.
  bool login = true;
  std::string user, token;
  SessionOptions sessions;
  std::size_t most_streams = 256;
  // Of logins and of tokens that are not known yet, from everywhere together.
  double logins_per_second = 2, login_burst = 20;
};

struct DashboardSurroundings {
  std::function<void(std::function<void()>)> post;  // to the loop; thread-safe
  std::function<Time()> now;                        // on the loop
  // On any thread; none: the machine's monotonic clock.
  std::function<net::Instant()> clock;
  net::Client* client = nullptr;  // Tamp's own: for reviews and the policy
  AsUser as_user;
  ReadRecords records;  // on the loop
};

class Dashboard {
 public:
  Dashboard(DashboardOptions options, DashboardSurroundings surroundings);
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  void answer(net::HttpRequest request, const net::Responder& respond);
  // `changed`: what is to be told to open pages.
  void show(std::shared_ptr<const documents::Look> look, const std::vector<Topic>& changed);
  // Every second or so: events that had to wait, and signs of life.
  void tick();

  // What a server for it should be like: its limits.
  static net::HttpOptions server_options();

 private:
  struct Exchange {
    net::HttpRequest request;
    Route route;
    net::Responder respond;
    bool changes = false;  // not only reads
  };
  using ExchangePtr = std::shared_ptr<Exchange>;
  struct Made {
    std::uint64_t revision = 0;
    std::string body, zipped, etag;
  };

  void api(net::HttpRequest request, const net::Responder& respond);
  void identify(const ExchangePtr& exchange);
  void ask_rights(const ExchangePtr& exchange, const std::string& token, bool by_cookie);
  void got_rights(const ExchangePtr& exchange, const std::string& token, bool by_cookie,
                  const KnownUser& user);
  void log_in(const ExchangePtr& exchange);
  void logged_in(const ExchangePtr& exchange, const std::string& token, const KnownUser& user);
  void log_out(const ExchangePtr& exchange);
  void serve(const ExchangePtr& exchange, const Session& session);
  void act(const ExchangePtr& exchange, const Session& session);
  void read(const ExchangePtr& exchange);
  void read_records(const ExchangePtr& exchange);
  void read_audit(const ExchangePtr& exchange);
  void open_events(const ExchangePtr& exchange);
  void what_if(const ExchangePtr& exchange);
  bool may_log_in();
  // Later, on the loop; not at all once this has gone.
  void on_loop(std::function<void()> action);
  void on_worker(net::Worker& worker, const ExchangePtr& exchange,
                 std::function<net::HttpResponse(const documents::Look&)> make);
  std::shared_ptr<const documents::Look> look();
  net::HttpResponse document(const net::HttpRequest& request, const Made& made) const;
  Made made(Endpoint endpoint, const documents::Look& look);

  DashboardOptions options_;
  DashboardSurroundings around_;
  Sessions sessions_;
  EventHub hub_;
  UserRights rights_;
  DashboardActions actions_;
  AuditCollection audits_;
  Session everybody_;  // without login

  std::mutex mutex_;
  std::shared_ptr<const documents::Look> look_;  // guarded by mutex_
  std::map<Endpoint, Made> made_;                // guarded by mutex_
  double login_tokens_;                          // guarded by mutex_
  net::Instant login_at_;                        // guarded by mutex_

  int ticks_ = 0;
  std::shared_ptr<Dashboard*> self_;  // what is posted finds us by it, or finds us gone
  // What is decided as things are, of the scene that a what-if was last about; only the thinker's.
  std::weak_ptr<const documents::Scene> considered_;
  std::string considered_document_;
  // Last: their threads use all of the above. Who thinks for long keeps nobody waiting who only wants to read.
  net::Worker worker_, thinker_;
};

}  // namespace tamp::dashboard
