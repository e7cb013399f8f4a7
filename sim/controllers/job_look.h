// One look at one Job that is not finished: count what ended, judge, make or end pods, write the status.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/engine/stage.h"

namespace tamp::world {

// Failures in a row, and when the last one was seen: new pods wait for 10 s, 20 s, … 10 min.
struct JobBackoff {
  std::int64_t failures = 0;
  Time last = {};
};

// "Complete" or "Failed"; empty while the Job runs.
std::string_view finish_of(const api::Object& job);
// Does it carry the finalizer batch.kubernetes.io/job-tracking: not counted yet?
bool is_tracked(const api::Object& pod);
void stop_tracking(Stage& stage, const api::Object& pod);

class JobLook {
 public:
  // `pods` are those that the Job owns.
  JobLook(Stage& stage, const api::Object& job, const std::vector<api::ObjectPtr>& pods, JobBackoff& backoff);
  // False: something was refused; look again with backoff.
  bool run();
  // When time alone may change something.
  std::optional<Time> next() const { return next_; }

 private:
  struct Verdict {
    std::string reason, message;
  };

  void count(const std::vector<api::ObjectPtr>& pods);
  std::optional<Verdict> failure() const;
  bool succeeded() const;
  void finish(bool success, const Verdict& verdict);
  void suspend();
  void resume();
  void fit_size();
  void make(std::int64_t count);
  api::Tree new_pod(std::int64_t index) const;
  void end(std::size_t count);
  bool write();

  bool set_condition(std::string_view type, std::string_view status, std::string_view reason,
                     std::string_view message);
  void put(std::string_view key, std::int64_t value, bool always = false);
  const api::Tree& status() const { return wrapped_["status"]; }
  void look_again(Time when) { next_ = next_ ? std::min(*next_, when) : when; }

  Stage& stage_;
  const api::Object& job_;
  const api::Tree& spec_;
  JobBackoff& backoff_;
  api::Tree wrapped_;  // {"status": what will be written}
  bool indexed_;
  std::vector<api::ObjectPtr> active_, counted_;
  std::set<std::int64_t> done_, busy_;  // indexes
  std::int64_t succeeded_ = 0, failed_ = 0, terminating_ = 0, ready_ = 0;
  bool refused_ = false;
  std::optional<Verdict> over_;  // it ended with this look
  std::optional<Time> next_;
};

}  // namespace tamp::world
