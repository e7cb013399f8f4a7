// Who depends on whom, by owner references, and what follows when an owner goes: dependents of a vanished owner are deleted
// (Background), an owner with the finalizer foregroundDeletion waits for the dependents that block it (Foreground), one
// with the finalizer orphan lets its dependents go free (Orphan).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/controllers/retries.h"
#include "sim/engine/work_queue.h"

namespace tamp::world {

class OwnerGraph {
 public:
  explicit OwnerGraph(std::uint8_t what) : what_(what) {}
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);  // event.name is the uid

 private:
  struct Item {
    api::ResourceId resource{};
    std::string ns, name;
  };

  void wake(Stage& stage, std::string_view uid) { queue_.add(stage, Actor::Garbage, what_, {}, uid); }
  void wake_dependents(Stage& stage, std::string_view uid);
  // Owners that wait for their dependents to go.
  void wake_waiting_owners(Stage& stage, const api::Object& object);
  void forget_owners(const api::Object& object);
  // The owner as its dependents in `ns` may see it; null if it is not there: references do not cross namespaces.
  api::ObjectPtr owner_of(const Stage& stage, const api::Tree& reference, std::string_view ns) const;
  bool orphan_dependents(Stage& stage, const api::Object& owner);
  bool wait_for_dependents(Stage& stage, const Item& item, const api::Object& owner);
  bool collect(Stage& stage, const Item& item, const api::Object& object);

  std::map<std::string, Item, std::less<>> items_;                                     // by uid
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>> dependents_;  // by the owner's uid
  WorkQueue queue_;
  Retries retries_;
  std::uint8_t what_;
};

}  // namespace tamp::world
