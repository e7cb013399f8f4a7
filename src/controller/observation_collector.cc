#include "controller/observation_collector.h"

#include <algorithm>
#include <utility>

#include "wire/observation.h"

namespace tamp::controller {

ObservationCollector::ObservationCollector(net::Loop& loop, ObservationSource& source, const Log& log,
                                           controller::Metrics& metrics, CollectorOptions options)
    : loop_(loop), source_(source), log_(log), metrics_(metrics), options_(options) {}

void ObservationCollector::look_after(std::vector<std::string> nodes) {
  std::sort(nodes.begin(), nodes.end());
  if (nodes != nodes_) {
    nodes_ = std::move(nodes);
    const auto gone = [&](const auto& entry) {
      return !std::binary_search(nodes_.begin(), nodes_.end(), entry.first);
    };
    std::erase_if(seen_, gone);
    std::erase_if(complaints_, gone);
  }
  if (std::exchange(running_, true)) return;
  next_ = loop_.after(Duration{}, [this] { begin_round(); });
}

void ObservationCollector::stop() {
  running_ = in_round_ = looking_ = false;
  next_.cancel();
  next_look_.cancel();
  waiting_.clear();
  due_.clear();
  closely_.clear();
  open_.clear();
  seen_.clear();
  complaints_.clear();
  nodes_.clear();
  rounds_ = 0;
  metrics_.set_observed_nodes(0);
}

void ObservationCollector::begin_round() {
  round_began_ = loop_.instant();
  waiting_.assign(nodes_.begin(), nodes_.end());
  due_ = {nodes_.begin(), nodes_.end()};
  in_round_ = true;
  ask_more();
}

void ObservationCollector::look_closely_at(std::vector<std::string> nodes) {
  std::sort(nodes.begin(), nodes.end());
  closely_ = std::move(nodes);
  if (!running_ || closely_.empty() || std::exchange(looking_, true)) return;
  next_look_ = loop_.after(options_.close_interval, [this] { look_again(); });
}

// Before all others that wait. Whoever has a question open or answered a moment ago is not asked again.
void ObservationCollector::look_again() {
  const net::Instant now = loop_.instant();
  for (const std::string& node : closely_) {
    const auto seen = seen_.find(node);
    const bool fresh =
        seen != seen_.end() && now - seen->second.received < Duration{options_.close_interval.ns / 2};
    if (!fresh && std::binary_search(nodes_.begin(), nodes_.end(), node)) waiting_.push_front(node);
  }
  looking_ = !closely_.empty();
  if (looking_) next_look_ = loop_.after(options_.close_interval, [this] { look_again(); });
  ask_more();
}

void ObservationCollector::ask_more() {
  while (!waiting_.empty() && open_.size() < options_.concurrency) {
    const std::string node = std::move(waiting_.front());
    waiting_.pop_front();
    if (!open_.contains(node)) ask(node);
  }
  if (!due_.empty() || !std::exchange(in_round_, false)) return;
  ++rounds_;
  ++news_;
  metrics_.set_observed_nodes(static_cast<std::int64_t>(seen_.size()));
  const Duration rest{options_.interval.ns - (loop_.instant() - round_began_).ns};
  next_ = loop_.after(std::max(rest, Duration{}), [this] { begin_round(); });
}

void ObservationCollector::ask(const std::string& node) {
  Question& question = open_[node];
  question.answer =
      source_.observe(node, [this, node](Result<std::string> bytes) { answered(node, std::move(bytes)); });
  question.deadline = loop_.after(options_.deadline, [this, node] {
    note(node, "late", "no answer within " + format_duration(options_.deadline));
    close(node);
  });
}

void ObservationCollector::answered(const std::string& node, Result<std::string> bytes) {
  const auto [result, problem] = judge(node, std::move(bytes));
  note(node, result, problem);
  close(node);
}

// What is wrong with an answer; it is kept if nothing is.
std::pair<std::string_view, std::string> ObservationCollector::judge(const std::string& node,
                                                                     Result<std::string> bytes) {
  if (!bytes) return {"unreachable", bytes.error().message};
  if (bytes->size() > wire::kMaxObservationBytes)
    return {"oversized", std::to_string(bytes->size()) + " bytes"};
  Result<Observation> read = wire::read_observation(*bytes);
  if (!read) return {"malformed", read.error().message};
  if (read->node != node) return {"other_node", "the agent says that it is on node " + read->node};
  if (const auto before = seen_.find(node); before != seen_.end() && before->second.document.at == read->at &&
                                            before->second.document.boot_id == read->boot_id) {
    // Asked again before it measured again; what it said keeps its age.
    if (loop_.instant() - before->second.received < Duration{options_.interval.ns / 2}) return {"ok", ""};
    return {"frozen", "the same document as in the last round, of " + format_rfc3339(read->at)};
  }
  seen_[node] = {std::move(*read), loop_.instant()};
  if (std::binary_search(closely_.begin(), closely_.end(), node)) ++news_;
  return {"ok", ""};
}

// Said once, and again when something else is wrong: agents are many, and rounds never end.
void ObservationCollector::note(const std::string& node, std::string_view result,
                                const std::string& problem) {
  metrics_.observation(result);
  const auto before = complaints_.find(node);
  if (problem.empty()) {
    if (before == complaints_.end()) return;
    complaints_.erase(before);
    log_.info("observed again", {{"node", node}});
    return;
  }
  if (before != complaints_.end() && before->second == result) return;
  complaints_.insert_or_assign(node, result);
  log_.warn("not observed", {{"node", node}, {"why", result}, {"problem", problem}});
}

void ObservationCollector::close(const std::string& node) {
  open_.erase(node);
  due_.erase(node);
  ask_more();
}

Observations ObservationCollector::observations() const {
  Observations all;
  all.reserve(seen_.size());
  for (const auto& [node, seen] : seen_) {
    all.push_back(seen.document);
    all.back().at = loop_.now() - (loop_.instant() - seen.received);
  }
  return all;
}

}  // namespace tamp::controller
