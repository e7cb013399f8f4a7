// What people do from the dashboard: approve, dismiss, abort, pause. Each is what `tamp approve`, `tamp abort` and `tamp pause` do, sent
// with the user's own token, so that the API server is the judge of it and its audit log names the right person.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "dashboard/sessions.h"
#include "documents/approval.h"
#include "documents/look.h"
#include "net/client.h"
#include "net/http_server.h"
#include "wire/tree.h"

namespace tamp::dashboard {

// The API server, spoken to as somebody.
struct UserWay {
  std::unique_ptr<net::ApiTransport> transport;
  std::unique_ptr<net::Client> client;  // goes first
};
using AsUser = std::function<UserWay(const std::string& token)>;

class DashboardActions {
 public:
  using Answer = std::function<void(net::HttpResponse)>;
  explicit DashboardActions(AsUser as_user) : as_user_(std::move(as_user)) {}
  DashboardActions(const DashboardActions&) = delete;
  DashboardActions& operator=(const DashboardActions&) = delete;

  // Refused with 409 and what is different if the plan that is published by now has another hash.
  void approve(const Session& session, const std::string& hash, const std::string& reason,
               std::shared_ptr<const documents::Look> look, Answer answer);
  void dismiss(const Session& session, const std::string& hash, const std::string& reason, Time now,
               std::shared_ptr<const documents::Look> look, Answer answer);
  void abort(const Session& session, const std::string& run, Answer answer);
  void pause(const Session& session, bool paused, Answer answer);

 private:
  struct Deed {
    UserWay way;
    Session session;
    documents::Approval approval;
    std::shared_ptr<const documents::Look> look;
    Answer answer;  // empty: given
    int attempt = 0;
    net::Pending request;
  };
  std::uint64_t begin(const Session& session, Answer answer);
  void approve_published(std::uint64_t id, const net::Reply& policy);
  void create_run(std::uint64_t id);
  void created(std::uint64_t id, const net::Reply& reply);
  void met_another(std::uint64_t id, const net::Reply& other);
  void merge(std::uint64_t id, const net::ResourceType& type, const std::string& name,
             const wire::Tree& patch);
  void finish(std::uint64_t id, net::HttpResponse response);

  AsUser as_user_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Deed> deeds_;
};

// {"reason": …, "message": …, "detail": …}; `detail` is JSON.
net::HttpResponse refuse(int status, std::string_view reason, std::string_view message,
                         std::string_view detail = "null");
net::HttpResponse json_response(std::string body, int status = 200);

}  // namespace tamp::dashboard
