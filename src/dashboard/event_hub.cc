#include "dashboard/event_hub.h"

#include "core/number.h"

namespace tamp::dashboard {
namespace {

constexpr std::array<Topic, kTopics> kAll = {Topic::Overview, Topic::Plan, Topic::Nodes, Topic::Runs};
// A browser that was cut off comes back after so many milliseconds.
constexpr std::string_view kGreeting = "retry: 2000\n: hello\n\n";

}  // namespace

std::string_view word(Topic topic) {
  switch (topic) {
    case Topic::Overview:
      return "overview";
    case Topic::Plan:
      return "plan";
    case Topic::Nodes:
      return "nodes";
    case Topic::Runs:
      break;
  }
  return "runs";
}

void EventHub::pace(Topic topic, Duration least) {
  const std::lock_guard lock(mutex_);
  topics_[static_cast<std::size_t>(topic)].least = least;
}

std::string EventHub::event(Topic topic) const {
  const State& state = topics_[static_cast<std::size_t>(topic)];
  return "id: " + boot_ + "-" + std::to_string(state.told) + "\nevent: " + std::string(word(topic)) +
         "\ndata: {}\n\n";
}

void EventHub::tell(Topic topic, net::Instant now) {
  const std::lock_guard lock(mutex_);
  State& state = topics_[static_cast<std::size_t>(topic)];
  if (state.ever && now - state.at < state.least) {
    state.waiting = true;
    return;
  }
  state = {++sequence_, now, true, false, state.least};
  send(event(topic));
}

void EventHub::flush(net::Instant now) {
  const std::lock_guard lock(mutex_);
  for (const Topic topic : kAll) {
    State& state = topics_[static_cast<std::size_t>(topic)];
    if (!state.waiting || now - state.at < state.least) continue;
    state = {++sequence_, now, true, false, state.least};
    send(event(topic));
  }
}

void EventHub::beat() {
  const std::lock_guard lock(mutex_);
  send(": still here\n\n");
}

void EventHub::send(const std::string& text) {
  for (auto it = streams_.begin(); it != streams_.end();)
    it = it->write(text) ? std::next(it) : streams_.erase(it);
}

bool EventHub::join(const net::HttpStream& stream, std::string_view last_id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(streams_, [](const net::HttpStream& one) { return one.closed(); });
  if (streams_.size() >= most_) return false;
  // Nobody's first connection has an id, and it has asked for everything already.
  bool known = last_id.empty();
  std::uint64_t seen = sequence_;
  if (!known && last_id.starts_with(boot_ + "-")) {
    const auto number = read_number<std::uint64_t>(last_id.substr(boot_.size() + 1));
    known = number && *number <= sequence_;
    seen = number.value_or(seen);
  }
  net::HttpStream copy = stream;
  std::string text(kGreeting);
  for (const Topic topic : kAll)
    if (!known || topics_[static_cast<std::size_t>(topic)].told > seen) text += event(topic);
  if (!copy.write(text)) return true;  // has left already
  streams_.push_back(std::move(copy));
  return true;
}

void EventHub::dismiss() {
  const std::lock_guard lock(mutex_);
  for (net::HttpStream& stream : streams_) stream.finish();
  streams_.clear();
}

}  // namespace tamp::dashboard
