#include "run/journal.h"

#include <algorithm>
#include <array>

namespace tamp::run {
namespace {

constexpr std::array<std::string_view, 10> kKinds = {"Protect",      "Cordon",      "Evict",       "Taint",
                                                     "Uncordon",     "CreateClaim", "DeleteClaim", "Release",
                                                     "ReleaseClaim", "Leave"};
constexpr std::array<std::string_view, 5> kStates = {"Intended", "Unclear", "Done", "Blocked", "Failed"};

template <typename T, std::size_t n>
std::optional<T> find_word(const std::array<std::string_view, n>& words, std::string_view word) {
  const auto it = std::find(words.begin(), words.end(), word);
  if (it == words.end()) return std::nullopt;
  return static_cast<T>(it - words.begin());
}

template <typename Entries, typename Pick>
auto* newest(Entries& entries, Pick pick) {
  const auto it = std::find_if(entries.rbegin(), entries.rend(), pick);
  return it == entries.rend() ? nullptr : &*it;
}

auto about(MutationKind kind, std::string_view ns, std::string_view name) {
  return [=](const Mutation& m) { return m.kind == kind && m.ns == ns && m.name == name; };
}
auto evicts(std::string_view uid) {
  return [=](const Mutation& m) { return m.kind == MutationKind::Evict && m.uid == uid; };
}

}  // namespace

std::string_view word(MutationKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::optional<MutationKind> mutation_kind_of(std::string_view word) {
  return find_word<MutationKind>(kKinds, word);
}
std::string_view word(MutationState state) { return kStates[static_cast<std::size_t>(state)]; }
std::optional<MutationState> mutation_state_of(std::string_view word) {
  return find_word<MutationState>(kStates, word);
}

Duration backoff(std::uint32_t attempts) {
  const std::uint32_t doublings = std::min<std::uint32_t>(attempts == 0 ? 0 : attempts - 1, 4);
  return std::min(Duration::seconds(std::int64_t{5} << doublings), Duration::minutes(1));
}

Mutation& Journal::intend(MutationKind kind, std::string ns, std::string name, std::string uid, Time now) {
  Mutation m;
  m.id = entries.empty() ? 1 : entries.back().id + 1;
  m.kind = kind;
  m.ns = std::move(ns);
  m.name = std::move(name);
  m.uid = std::move(uid);
  m.intended = now;
  return entries.emplace_back(std::move(m));
}

Mutation* Journal::find(std::uint32_t id) {
  const auto it = std::lower_bound(entries.begin(), entries.end(), id,
                                   [](const Mutation& m, std::uint32_t wanted) { return m.id < wanted; });
  return it != entries.end() && it->id == id ? &*it : nullptr;
}

const Mutation* Journal::last(MutationKind kind, std::string_view ns, std::string_view name) const {
  return newest(entries, about(kind, ns, name));
}
Mutation* Journal::last(MutationKind kind, std::string_view ns, std::string_view name) {
  return newest(entries, about(kind, ns, name));
}
const Mutation* Journal::eviction_of(std::string_view uid) const { return newest(entries, evicts(uid)); }
Mutation* Journal::eviction_of(std::string_view uid) { return newest(entries, evicts(uid)); }

}  // namespace tamp::run
