#include "controller/agent_pods.h"

#include <fmt/format.h>

#include <utility>

#include "wire/agent_pods.h"
#include "wire/observation.h"

namespace tamp::controller {
namespace {

constexpr int kPageSize = 500;

std::string peer(const std::string& ip, std::uint16_t port) {
  return ip.find(':') == std::string::npos ? fmt::format("{}:{}", ip, port)
                                           : fmt::format("[{}]:{}", ip, port);
}

}  // namespace

net::Pending AgentPods::observe(const std::string& node, Done done) {
  const std::uint64_t id = next_id_++;
  questions_[id] = {node, std::move(done), {}};
  if (list_is_old() && !std::exchange(listing_, true)) list("");
  if (listing_)
    waiting_.push_back(id);
  else
    send(id);
  return net::Pending([this, id] { questions_.erase(id); });
}

bool AgentPods::list_is_old() const {
  return !listed_at_ || loop_.instant() - *listed_at_ >= options_.list_every;
}

void AgentPods::list(std::string continue_token) {
  net::ListOptions options;
  options.ns = options_.ns;
  options.label_selector = options_.selector;
  options.limit = kPageSize;
  options.continue_token = std::move(continue_token);
  options.repeat = false;
  list_ = client_.list_page(wire::ObjectKind::Pod, options,
                            [this](net::Reply reply) { listed(std::move(reply)); });
}

void AgentPods::listed(net::Reply reply) {
  if (!reply.ok()) return answer_waiting(Error{"the agents' pods cannot be listed: " + reply.error->text()});
  auto page = wire::read_agent_pods(reply.body);
  if (!page) return answer_waiting(std::move(page).error().with("the agents' pods"));
  for (wire::AgentPod& pod : page->pods) fresh_.insert_or_assign(std::move(pod.node), std::move(pod.ip));
  if (!page->continue_token.empty()) return list(std::move(page->continue_token));
  address_ = std::exchange(fresh_, {});
  listed_at_ = loop_.instant();
  answer_waiting(std::nullopt);
}

void AgentPods::answer_waiting(std::optional<Error> problem) {
  listing_ = false;
  fresh_.clear();
  for (const std::uint64_t id : std::exchange(waiting_, {})) {
    if (!questions_.contains(id)) continue;
    if (problem)
      finish(id, *problem);
    else
      send(id);
  }
}

void AgentPods::send(std::uint64_t id) {
  Question& question = questions_.at(id);
  const auto found = address_.find(question.node);
  if (found == address_.end()) {
    question.step = loop_.after(Duration{}, [this, id] { finish(id, Error{"no agent runs on the node"}); });
    return;
  }
  net::Request request;
  request.target = "/observe";
  request.peer = peer(found->second, options_.port);
  request.largest_response = wire::kMaxObservationBytes;
  request.timeout = options_.timeout;
  question.step = agents_.send(std::move(request), [this, id](net::Exchange exchange) {
    if (!exchange.response) return finish(id, Error{exchange.failure.message});
    if (exchange.response->status != 200)
      return finish(id, Error{fmt::format("the agent answers with status {}", exchange.response->status)});
    finish(id, std::move(exchange.response->body));
  });
}

void AgentPods::finish(std::uint64_t id, Result<std::string> answer) {
  auto question = questions_.extract(id);
  if (!question.empty()) question.mapped().done(std::move(answer));
}

}  // namespace tamp::controller
