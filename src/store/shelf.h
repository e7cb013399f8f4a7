// The readable objects of one kind as ClusterStore keeps them: in slots, found by name, with what there is to say about
// those that are not quite, or not at all, readable. Their symbols and ids point into tables that the store owns.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/cluster.h"
#include "store/store.h"

namespace tamp::store {

// A pod before Cluster::finish(), which joins it with the node of this name.
struct BoundPod {
  Pod pod;
  Symbol node;
};

struct PolicyEntry {
  Symbol name;
  PolicyObject object;
  TemperPolicy settings;  // of no use if the object has an error
};

using NameKey = std::uint64_t;
inline NameKey key_of(Symbol ns, Symbol name) { return std::uint64_t{ns.value} << 32 | name.value; }

// Would a decision be the same? The resourceVersion of a policy changes with each status that is written to it.
template <typename T>
bool same_meaning(const T& a, const T& b) {
  return a == b;
}
inline bool same_meaning(const BoundPod& a, const BoundPod& b) { return a.node == b.node && a.pod == b.pod; }
inline bool same_meaning(const PolicyEntry& a, const PolicyEntry& b) {
  return a.object.uid == b.object.uid && a.object.generation == b.object.generation &&
         a.object.error == b.object.error && a.settings == b.settings;
}

template <typename T>
NameKey name_key(const T& object) {
  if constexpr (requires { object.ns; })
    return key_of(object.ns, object.name);
  else
    return key_of(Symbol(), object.name);
}
inline NameKey name_key(const BoundPod& bound) { return name_key(bound.pod); }
inline NameKey name_key(const CsiNode& node) { return key_of(Symbol(), node.node_name); }

using FullName = std::pair<std::string, std::string>;  // namespace, name

template <typename T>
class Shelf {
 public:
  // Whether this means anything new.
  bool put(T object) {
    const auto [it, fresh] =
        index_.try_emplace(name_key(object), static_cast<std::uint32_t>(objects_.size()));
    if (fresh) {
      objects_.push_back(std::move(object));
      return true;
    }
    T& slot = objects_[it->second];
    const bool changed = !same_meaning(slot, object);
    slot = std::move(object);
    return changed;
  }

  bool remove(NameKey key) {
    const auto it = index_.find(key);
    if (it == index_.end()) return false;
    const std::uint32_t slot = it->second;
    index_.erase(it);
    if (slot + 1 != objects_.size()) {
      objects_[slot] = std::move(objects_.back());
      index_[name_key(objects_[slot])] = slot;
    }
    objects_.pop_back();
    return true;
  }

  // Whether a decision made on one holds on the other.
  bool equals(const Shelf& other) const {
    if (objects_.size() != other.objects_.size() || unreadable != other.unreadable ||
        warnings != other.warnings)
      return false;
    for (const T& object : objects_) {
      const auto it = other.index_.find(name_key(object));
      if (it == other.index_.end() || !same_meaning(object, other.objects_[it->second])) return false;
    }
    return true;
  }

  const std::vector<T>& objects() const { return objects_; }

  // For compaction: all objects leave, and come back with other symbols.
  std::vector<T> take() {
    index_.clear();
    return std::exchange(objects_, {});
  }
  void give_back(std::vector<T> objects) {
    objects_ = std::move(objects);
    for (std::size_t i = 0; i < objects_.size(); ++i)
      index_.emplace(name_key(objects_[i]), static_cast<std::uint32_t>(i));
  }

  std::map<FullName, std::string> unreadable;
  std::map<FullName, std::vector<std::string>> warnings;

 private:
  std::vector<T> objects_;
  std::unordered_map<NameKey, std::uint32_t> index_;  // slots by name
};

}  // namespace tamp::store
