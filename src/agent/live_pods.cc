#include "agent/live_pods.h"

#include <utility>

namespace tamp::agent {
namespace {

// A node has a hundred pods or two; small pages keep what is held at once small.
constexpr int kPage = 50;

net::WatchSink sink_of(wire::NodePodStore& store, const std::function<void()>& tell) {
  net::WatchSink sink;
  sink.begin_list = [&store] { store.begin_list(); };
  sink.page = [&store](const std::string& bytes) { return store.add_page(bytes); };
  sink.end_list = [&store, tell] {
    store.end_list();
    tell();
  };
  sink.event = [&store, tell](const std::string& line) {
    auto event = store.apply_event(line);
    if (event) tell();
    return event;
  };
  return sink;
}

net::ReflectorOptions pods_of(const std::string& node) {
  net::ReflectorOptions options;
  options.field_selector = "spec.nodeName=" + node;
  options.page_size = kPage;
  return options;
}

void complain_once(const Complaint& complain, std::string& last, const std::string& what) {
  if (what == last) return;
  last = what;
  if (!what.empty()) complain(what);
}

}  // namespace

ApiPods::ApiPods(net::Loop& loop, net::Client& client, const std::string& node, const TierFloors& floors,
                 PodsChanged changed, Complaint complain)
    : store_(floors),
      changed_(std::move(changed)),
      complain_(std::move(complain)),
      reflector_(loop, client, net::kPods, sink_of(store_, [this] { tell(); }), pods_of(node)) {
  reflector_.set_on_change([this] {
    const auto& state = reflector_.state();
    complain_once(complain_, complained_,
                  state.last_error.empty() ? store_.problem() : "the pods: " + state.last_error);
  });
}

std::optional<net::Instant> ApiPods::heard() const {
  return reflector_.state().synced ? std::optional(reflector_.state().last_contact) : std::nullopt;
}

void ApiPods::tell() {
  const bool changed = store_.take_changed();
  if (std::exchange(told_, true) && !changed) return;
  changed_(store_.pods());
}

KubeletPods::KubeletPods(net::Loop& loop, net::Client& client, std::string path, const TierFloors& floors,
                         PodsChanged changed, Complaint complain, Duration every)
    : loop_(loop),
      client_(client),
      path_(std::move(path)),
      floors_(floors),
      changed_(std::move(changed)),
      complain_(std::move(complain)),
      every_(every) {}

void KubeletPods::ask() {
  under_way_ = client_.get_path(path_, [this](const net::Reply& reply) {
    got(reply);
    under_way_ = loop_.after(every_, [this] { ask(); });
  });
}

void KubeletPods::got(const net::Reply& reply) {
  if (!reply.ok()) return complain_once(complain_, complained_, "the kubelet's pods: " + reply.error->text());
  auto pods = wire::read_node_pods({"the kubelet's pods", reply.body}, floors_);
  if (!pods) return complain_once(complain_, complained_, pods.error().message);
  complain_once(complain_, complained_, "");
  heard_ = loop_.instant();
  if (pods_ == *pods) return;
  pods_ = *pods;
  changed_(std::move(pods).value());
}

}  // namespace tamp::agent
