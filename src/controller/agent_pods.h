// The agents of a real cluster: the pods of their DaemonSet, one on each node, asked over HTTPS at the pod's own address. Who runs
// where is listed from the API server, now and then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/observation_source.h"
#include "net/client.h"
#include "net/transport.h"

namespace tamp::controller {

struct AgentPodsOptions {
  std::string ns = "tamp-agents";
  std::string selector = "app.kubernetes.io/name=tamp,app.kubernetes.io/component=agent";
  std::uint16_t port = 9470;
  Duration list_every = Duration::seconds(30);
  Duration timeout = Duration::seconds(5);  // of one question
};

class AgentPods : public ObservationSource {
 public:
  // `agents` sends to whatever peer a request names, with credentials that are meant for agents. All outlive this.
  AgentPods(net::Loop& loop, net::Client& client, net::ApiTransport& agents, AgentPodsOptions options)
      : loop_(loop), client_(client), agents_(agents), options_(std::move(options)) {}

  net::Pending observe(const std::string& node, std::function<void(Result<std::string>)> done) override;

 private:
  using Done = std::function<void(Result<std::string>)>;
  struct Question {
    std::string node;
    Done done;
    net::Pending step;
  };

  bool list_is_old() const;
  void list(std::string continue_token);
  void listed(net::Reply reply);
  void answer_waiting(std::optional<Error> problem);
  void send(std::uint64_t id);
  void finish(std::uint64_t id, Result<std::string> answer);

  net::Loop& loop_;
  net::Client& client_;
  net::ApiTransport& agents_;
  AgentPodsOptions options_;

  std::map<std::string, std::string> address_;  // by node
  std::map<std::string, std::string> fresh_;    // of the list that is under way
  std::optional<net::Instant> listed_at_;
  bool listing_ = false;
  net::Pending list_;
  std::uint64_t next_id_ = 0;
  std::map<std::uint64_t, Question> questions_;
  std::vector<std::uint64_t> waiting_;  // for the list
};

}  // namespace tamp::controller
