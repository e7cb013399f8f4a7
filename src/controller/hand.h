// The hand that changes the cluster: carries one entry of a run's journal out. It begins with reading the object, writes only on top
// of what it has just read, and says what came of it in the journal's words. It never deletes a pod,
// nor a claim whose node somebody uses.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "net/client.h"
#include "run/journal.h"
#include "run/run.h"
#include "wire/tree.h"

namespace tamp::controller {

struct Deed {
  run::Conclusion conclusion;
  // The write was held back since we do not lead any more: nothing was tried, nothing is to be concluded.
  bool fenced = false;
  std::string resource_version;  // of a node after our write to it; empty if there was none
};

// Whether several PodDisruptionBudgets select a pod. Asked when its eviction fails without a reason: the API
// server says no more than that where there are several, and refuses for good.
class BudgetQuestion {
 public:
  explicit BudgetQuestion(net::Client& client) : client_(client) {}
  BudgetQuestion(const BudgetQuestion&) = delete;
  BudgetQuestion& operator=(const BudgetQuestion&) = delete;
  // `done` is given what the eviction comes to; nothing if there are not several, or nobody can tell.
  void ask(std::string_view ns, std::string_view pod,
           std::function<void(std::optional<run::Conclusion>)> done);

 private:
  void list_budgets(std::string pod);

  net::Client& client_;
  std::string ns_;
  std::function<void(std::optional<run::Conclusion>)> done_;
  net::Pending request_;
};

class Errand {
 public:
  // Copies what it needs of the run. `done` is called once, on the loop, unless the errand is dropped before; dropping it from
  // within `done` is not allowed.
  Errand(net::Client& client, const run::Run& run, const run::Mutation& mutation,
         std::function<void(Deed)> done);
  Errand(const Errand&) = delete;
  Errand& operator=(const Errand&) = delete;
  void begin();
  // What changes something is on its way. Before that the errand can be dropped without a trace.
  bool sent() const { return sent_; }

 private:
  void read(const net::ResourceType& type, std::string_view ns, std::string_view name,
            void (Errand::*then)(const wire::Tree&));
  void read_object();
  void edit(const wire::Tree& object);
  void evict(const wire::Tree& pod);
  void create_claim(const wire::Tree& pool);
  void claim_exists(const wire::Tree& claim);
  void delete_claim(const wire::Tree& claim);
  void look_for_residents(const std::string& node, std::string object);
  void remove_claim();
  bool other_object(const wire::Tree& object);
  void again_or_blocked(const net::ApiError& error);
  void refused(const net::ApiError& error);
  void finish(run::Conclusion conclusion, std::string resource_version = {});

  net::Client& client_;
  run::Run run_;  // who it is and what replaces its victims; not its journal
  run::Mutation mutation_;
  std::vector<std::string> added_before_;  // by earlier entries about the same node
  std::function<void(Deed)> done_;
  std::string claim_uid_;  // that was read, of a claim to be deleted
  int conflicts_ = 0;
  bool sent_ = false;
  net::Pending request_;
  BudgetQuestion budgets_;
};

// In the journal's words. `write`: the request that failed may have changed something.
run::Conclusion conclusion_of(const net::ApiError& error);

// Tries an eviction without carrying it out.
class Rehearsal {
 public:
  // `done` is called once, on the loop, unless the rehearsal is dropped before; dropping it from within
  // `done` is not allowed.
  Rehearsal(net::Client& client, const run::Departing& move, std::function<void(run::Conclusion)> done);
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;
  void begin();
  bool over() const { return done_ == nullptr; }

 private:
  void refused(const net::ApiError& error);
  void finish(run::Conclusion conclusion);

  net::Client& client_;
  std::string ns_, name_, uid_;  // of the pod
  std::function<void(run::Conclusion)> done_;
  net::Pending request_;
  BudgetQuestion budgets_;
};

}  // namespace tamp::controller
