#include "controller/informers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tamp::controller {

using net::ReflectorState;

Informers::Informers(net::Loop& loop, net::Client& client, store::ClusterStore& store)
    : loop_(loop), client_(client), store_(store) {
  for (const wire::KindInfo& kind : wire::kinds()) add(kind);
}

void Informers::add(const wire::KindInfo& kind) {
  const wire::ObjectKind id = kind.id;
  net::WatchSink sink;
  sink.begin_list = [this, id] { store_.begin_list(id); };
  sink.page = [this, id](const std::string& bytes) { return store_.add_page(id, bytes); };
  sink.end_list = [this, id] { store_.end_list(id); };
  sink.event = [this, id](const std::string& line) { return store_.apply_event(id, line); };
  net::ReflectorOptions options;
  options.custom = kind.custom;
  const std::size_t index = watches_.size();
  Watch& watch = watches_.emplace_back();
  watch.reflector = std::make_unique<net::Reflector>(loop_, client_, kind, std::move(sink), options);
  watch.reflector->set_on_change([this, index] { heard(index); });
}

void Informers::heard(std::size_t index) {
  Watch& watch = watches_[index];
  const ReflectorState& state = watch.reflector->state();
  if (state.phase == ReflectorState::Phase::Absent) store_.forget_kind(wire::kinds()[index].id);
  if (state.usable())
    watch.broken_since.reset();
  else if (!watch.broken_since)
    watch.broken_since = loop_.instant();
}

void Informers::start() {
  for (const Watch& watch : watches_) watch.reflector->start();
}

void Informers::stop() {
  for (const Watch& watch : watches_) watch.reflector->stop();
}

bool Informers::synced() const {
  return std::all_of(watches_.begin(), watches_.end(),
                     [](const Watch& watch) { return watch.reflector->state().synced; });
}

std::string Informers::problem(net::Instant now, Duration patience) const {
  for (const Watch& watch : watches_) {
    const ReflectorState& state = watch.reflector->state();
    const std::string_view plural = watch.reflector->type().plural;
    if (!state.synced)
      return state.last_error.empty() ? fmt::format("{} have not been read yet", plural)
                                      : fmt::format("{} cannot be read: {}", plural, state.last_error);
    if (watch.broken_since && now - *watch.broken_since > patience)
      return fmt::format("{} cannot be watched: {}", plural,
                         state.last_error.empty() ? word(state.phase) : state.last_error);
  }
  return {};
}

}  // namespace tamp::controller
