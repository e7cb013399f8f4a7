// What the decoders of one Kubernetes object share: the cluster they fill, the first error, the warnings. Every getter
// takes a parent object and a key, returns what is there or a default, and notes a wrong type as an error, so that a
// decoder reads as a list of its fields and checks for failure once, at its end.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cluster.h"
#include "core/time.h"
#include "wire/quantity.h"
#include "wire/value.h"

namespace tamp::wire {

class Decoder {
 public:
  Decoder(Cluster& cluster, Value root) : cluster_(cluster), root_(root) {}

  Cluster& cluster() { return cluster_; }
  Value root() const { return root_; }

  // The first failure counts; later ones may be its consequences. `missing` names a field that `at` should have had.
  void fail(Value at, std::string message, std::string_view missing = {});
  bool failed() const { return failed_; }
  // "spec.replicas: must be a whole number". REQUIRES: failed()
  Error error() const;

  void warn(Value at, std::string_view message);
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

  // ---- getters; absent and null give the default
  Value object(Value parent, std::string_view key);
  Value::Elements list(Value parent, std::string_view key);
  Value::Elements objects(Value parent, std::string_view key);  // a list of objects
  std::string_view text(Value parent, std::string_view key);
  bool flag(Value parent, std::string_view key, bool otherwise = false);
  std::optional<std::int64_t> integer(Value parent, std::string_view key,
                                      std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                      std::int64_t most = std::numeric_limits<std::int64_t>::max());
  std::optional<std::int32_t> integer32(Value parent, std::string_view key,
                                        std::int32_t least = std::numeric_limits<std::int32_t>::min());
  std::optional<double> number(Value parent, std::string_view key);
  std::optional<Time> time(Value parent, std::string_view key);
  std::optional<Quantity> quantity(Value value);
  std::optional<Quantity> quantity(Value parent, std::string_view key) { return quantity(parent.get(key)); }

  Symbol intern(std::string_view text) { return cluster_.symbols.intern(text); }
  // Invalid when absent.
  Symbol symbol(Value parent, std::string_view key);
  // Sorted by symbol, without repetition.
  std::vector<Symbol> symbols(Value parent, std::string_view key);
  // An object of strings.
  LabelSet labels(Value parent, std::string_view key);
  // Interns the name of a resource. Real clusters have dozens of them; a file with very many is refused, since every
  // list of amounts is searched from its start.
  ResourceId resource(const Field& field);
  // Amounts in the units of core/resources.h. None may be negative.
  ResourceList resources(Value parent, std::string_view key);

  // The word at `key` as one of a closed set, matched exactly. Absent and "" give the default where one is given.
  template <typename T>
  T word(Value parent, std::string_view key, std::span<const std::pair<std::string_view, T>> words,
         std::optional<T> otherwise);

 private:
  void fail_word(Value parent, std::string_view key, std::string_view found,
                 std::span<const std::string_view> words);

  Cluster& cluster_;
  Value root_;
  bool failed_ = false;
  Value failed_at_;
  std::string failed_field_, failed_message_;
  std::vector<std::string> warnings_;
};

template <typename T>
using Words = std::pair<std::string_view, T>;

template <typename T>
T Decoder::word(Value parent, std::string_view key, std::span<const std::pair<std::string_view, T>> words,
                std::optional<T> otherwise) {
  const std::string_view found = text(parent, key);
  if (failed_) return words.front().second;
  if (found.empty() && otherwise) return *otherwise;
  for (const auto& [name, value] : words)
    if (name == found) return value;
  std::vector<std::string_view> names;
  for (const auto& [name, value] : words) names.push_back(name);
  fail_word(parent, key, found, names);
  return words.front().second;
}

}  // namespace tamp::wire
