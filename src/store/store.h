// The cluster kept current: list pages and watch events go in, a finished Cluster comes out whenever one is wanted. What
// view() gives is what read_snapshot would read from a dump of the same objects, whatever the order in which they came.
//
// Each kind has a shelf of decoded objects (shelf.h) over shared tables of names, pod specs and label sets, so that an
// event costs its decoding, a look-up and the exchange of one slot. What objects that are gone left behind in the tables
// stays until it outnumbers what is in use; then the tables are written anew without it (core/compact.h).
//
// Not thread-safe. A view is a value of its own and may be used elsewhere while the store goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "wire/kinds.h"
#include "wire/snapshot.h"
#include "wire/watch_event.h"

namespace tamp::store {

// An object that exists but makes no sense. Its last good version is not kept: it would be a guess.
struct UnreadableObject {
  wire::ObjectKind kind = wire::ObjectKind::Pod;
  std::string ns;  // empty for kinds without namespaces
  std::string name;
  std::string message;  // with the object and the field named
};

// Does a plan made without this object risk anything? All but the policies that do not count.
bool forbids_plan(const UnreadableObject& object);

// A TemperPolicy as an object to write a status to. Its settings are in the view's Cluster::policy.
struct PolicyObject {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;  // metadata.generation
  std::string dismissed;        // annotation temper.codes/dismissed, as written
  std::string error;            // why it cannot be read; empty if it can
};

class ClusterStore {
 public:
  ClusterStore();
  ~ClusterStore();
  ClusterStore(ClusterStore&&) noexcept;
  ClusterStore& operator=(ClusterStore&&) noexcept;

  // ---- a list of all objects of a kind, page by page. It takes effect when it ends: what it does not name is then gone.
  // A list that is given up changes nothing; the next begin_list starts afresh, and so does an event of the kind.
  void begin_list(wire::ObjectKind kind);
  // An error means that the page as a whole makes no sense: no JSON, not a list, an object without a name.
  Result<wire::PageInfo> add_page(wire::ObjectKind kind, const std::string& bytes);
  void end_list(wire::ObjectKind kind);

  // One line of a watch. An error means that the line makes no sense, and nothing was changed by it.
  Result<wire::EventInfo> apply_event(wire::ObjectKind kind, const std::string& line);

  // The kind is not served: there are no such objects.
  void forget_kind(wire::ObjectKind kind);

  // The machine catalogue and the price list, as `tamp plan` takes them. A second call replaces what the first one set.
  Status set_instance_types(const wire::Input& input);
  Status set_prices(wire::Input input);

  // Grows whenever a value that a decision may depend on changed, and only then: two views of one generation are equal.
  std::uint64_t generation() const;

  // Costs a copy of the cluster. Warnings are in the order of kind, namespace and name, without a file's name.
  wire::Reading view() const;

  // In the order of kind, namespace and name.
  std::vector<UnreadableObject> unreadable() const;
  // In the order of names.
  std::vector<PolicyObject> policies() const;

  // Drops what no object uses any more. Called by itself when that is worth its cost.
  void compact();
  // How much is held, used or not: what compaction is judged by.
  struct Size {
    std::size_t symbols = 0, symbol_bytes = 0, pod_specs = 0, label_sets = 0, resources = 0;
  };
  Size size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tamp::store
