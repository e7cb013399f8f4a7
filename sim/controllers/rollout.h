// One look at one Deployment: from its ReplicaSets as they are to what should change now. The steps are those of
// kube-controller-manager; each look does at most one of "scale the new set up" and "scale old sets down", and the writes
// bring the next look.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/engine/stage.h"

namespace tamp::world {

// Of ReplicaSets, counting from 1; of a Deployment, that of its newest set.
inline constexpr std::string_view kRevisionAnnotation = "deployment.kubernetes.io/revision";

class Rollout {
 public:
  // `sets` are the ReplicaSets that the Deployment owns; `alive` says, for the strategy Recreate, whether pods of a set still run.
  Rollout(Stage& stage, api::ObjectPtr deployment, const std::vector<api::ObjectPtr>& sets,
          bool (*alive)(Stage&, const api::Object& set));

  struct Next {
    bool failed = false;                  // look again with backoff
    std::optional<Time> look_again = {};  // when progress may have timed out
  };
  Next run();

 private:
  struct Set {
    api::ObjectPtr object;
    std::int64_t replicas = 0;  // spec.replicas, also after this look changed it
    std::string created;        // creationTimestamp; sorts as text
    std::int64_t available() const { return object->status()["availableReplicas"].integer(); }
  };
  enum class Create : bool { No, Yes };

  void find_new();
  bool sync_revision(Create create);  // false: failed
  bool create_new();
  std::int64_t next_revision() const;
  api::Tree new_annotations(const api::Tree& current, std::int64_t revision, bool exists) const;
  bool scaling_event() const;
  bool scale_proportionally();
  void roll();
  void recreate();
  bool grow_new();
  bool shrink_old();
  bool scale(Set& set, std::int64_t to, bool force = false);  // did the size change?
  void clean_up();
  void check_paused();

  void count();           // status from the sets
  void judge_progress();  // conditions from old and new status
  void write(bool progress);
  bool complete(const api::Tree& status) const;

  std::int64_t desired() const { return deployment_->spec()["replicas"].integer(1); }
  bool rolling() const;
  std::int64_t max_surge() const;
  std::int64_t max_unavailable() const;
  bool has_deadline() const;
  std::int64_t total() const;
  std::int64_t total_available() const;
  std::vector<Set*> active_old();

  const api::Tree* condition(std::string_view type) const;
  void set_condition(std::string_view type, std::string_view status, std::string_view reason,
                     std::string message);
  void drop_condition(std::string_view type);

  Stage& stage_;
  api::ObjectPtr deployment_;
  bool (*alive_)(Stage&, const api::Object& set);
  std::vector<Set> old_;
  std::optional<Set> new_;
  api::Tree status_;  // what will be written
  Next next_;
};

}  // namespace tamp::world
