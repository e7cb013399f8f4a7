// The hand that changes the cluster: carries one entry of a run's journal out. It begins with reading the object, writes only on top
// of what it has just read, and says what came of it in the journal's words. It never deletes a pod,
// nor a claim whose node somebody uses.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <functional>
#include <string>

#include "net/client.h"
#include "run/journal.h"
#include "run/run.h"
#include "wire/tree.h"

namespace tamp::control {

struct Deed {
  execute::Conclusion conclusion;
  // The write was held back since we do not lead any more: nothing was tried, nothing is to be concluded.
  bool fenced = false;
  std::string resource_version;  // of a node after our write to it; empty if there was none
};

class Errand {
 public:
  // Copies what it needs of the run. `done` is called once, on the loop, unless the errand is dropped before; dropping it from
  // within `done` is not allowed.
  Errand(kube::Client& client, const execute::Run& run, const execute::Mutation& mutation,
         std::function<void(Deed)> done);
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;
  void begin();
  // What changes something is on its way. Before that the errand can be dropped without a trace.
  bool sent() const { return sent_; }

 private:
  void read(const kube::ResourceType& type, std::string_view ns, std::string_view name,
            void (Errand::*then)(const codec::Tree&));
  void read_object();
  void edit(const codec::Tree& object);
  void evict(const codec::Tree& pod);
  void create_claim(const codec::Tree& pool);
  void claim_exists(const codec::Tree& claim);
  void delete_claim(const codec::Tree& claim);
  void look_for_residents(const std::string& node, std::string object);
  void remove_claim();
  bool other_object(const codec::Tree& object);
  void again_or_blocked(const kube::ApiError& error);
  void refused(const kube::ApiError& error);
  void finish(execute::Conclusion conclusion, std::string resource_version = {});

  kube::Client& client_;
  execute::Run run_;  // who it is and what replaces its victims; not its journal
  execute::Mutation mutation_;
  std::vector<std::string> added_before_;  // by earlier entries about the same node
  std::function<void(Deed)> done_;
  std::string claim_uid_;  // that was read, of a claim to be deleted
  int conflicts_ = 0;
  bool sent_ = false;
  kube::Pending request_;
};

// In the journal's words. `write`: the request that failed may have changed something.
execute::Conclusion conclusion_of(const kube::ApiError& error);

// Tries an eviction without carrying it out.
kube::Pending rehearse_eviction(kube::Client& client, const execute::Departing& move,
                                std::function<void(execute::Conclusion)> done);

}  // namespace tamp::control
