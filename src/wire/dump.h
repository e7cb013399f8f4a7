// A cluster as one JSON List that `tamp plan -f` reads, made from what the API server answers to lists. It holds the fields
// that Tamp reads and nothing else (dump_fields.h), and decisions made on it are those made on the cluster.
//
// Masked, it names nobody: pods, nodes, namespaces, workloads, claims, volumes, budgets, containers and machines have
// pseudonyms (pseudonyms.h), also where labels and selectors repeat a name. Words that mean something to Kubernetes stay:
// label keys, zones, machine types, pools, storage classes, priority classes. So do values of labels that are no
// name, and uids. The plan of a masked dump is the plan of the cluster, under other names.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_writer.h"
#include "core/result.h"
#include "wire/dump_fields.h"
#include "wire/kinds.h"
#include "wire/pseudonyms.h"
#include "wire/value.h"
#include "wire/watch_event.h"

namespace tamp::wire {

struct DumpOptions {
  bool mask = false;
};

class Dump {
 public:
  explicit Dump(DumpOptions options = {}) : options_(options) {}

  // Forgets the pages of this kind: its list starts again.
  void begin_list(ObjectKind kind) { pages_[static_cast<std::size_t>(kind)].clear(); }
  Result<PageInfo> add_page(ObjectKind kind, std::string bytes);

  // Hands the text to `sink` piece by piece. Objects are in the order of kinds, then as they came.
  Status write(const std::function<void(std::string_view)>& sink) const;

 private:
  DumpOptions options_;
  // Items as JSON texts, commas between them, with nothing but the fields that are kept; not masked yet: that takes all
  // names together.
  std::array<std::vector<std::string>, kObjectKinds> pages_;
};

}  // namespace tamp::wire
