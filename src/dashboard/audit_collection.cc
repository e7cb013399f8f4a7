#include "dashboard/audit_collection.h"

#include <algorithm>
#include <utility>

#include "documents/audit.h"

namespace tamp::dashboard {

bool AuditCollection::ask(const Runs& runs, Done done) {
  if (questions_.size() >= most_asked_) return false;
  Question question;
  question.done = std::move(done);
  for (const auto& run : runs) question.found.runs.push_back({run, {}});
  std::stable_sort(question.found.runs.begin(), question.found.runs.end(),
                   [](const documents::RunRecords& a, const documents::RunRecords& b) {
                     return a.run->approved_at > b.run->approved_at;
                   });
  question.found.complete = runs.size() <= most_runs_;
  if (!question.found.complete) question.found.runs.resize(most_runs_);
  // A run that is gone needs no room.
  std::erase_if(kept_, [&](const auto& entry) {
    return std::none_of(runs.begin(), runs.end(), [&](const auto& run) { return run->name == entry.first; });
  });
  questions_.push_back(std::move(question));
  go_on(std::prev(questions_.end()));
  return true;
}

void AuditCollection::keep(const run::Run& run, const std::string& lines) {
  // Its last record may still be on its way.
  if (run::over(run.phase) && documents::audit_contains(lines, run.audit_head) && !lines.empty())
    kept_[run.name] = {run.uid, lines};
}

void AuditCollection::go_on(At question) {
  std::vector<documents::RunRecords>& runs = question->found.runs;
  for (; question->next < runs.size(); ++question->next) {
    documents::RunRecords& one = runs[question->next];
    const auto kept = kept_.find(one.run->name);
    if (kept == kept_.end() || kept->second.uid != one.run->uid) break;
    one.lines = kept->second.lines;
  }
  if (question->next == runs.size()) {
    const Question done = std::move(*question);
    questions_.erase(question);
    return done.done(done.found);
  }
  read_(runs[question->next].run->name, "audit",
        [this, self = std::weak_ptr(self_), question](std::string lines) {
          if (!self.lock()) return;
          documents::RunRecords& one = question->found.runs[question->next++];
          one.lines = std::move(lines);
          keep(*one.run, one.lines);
          go_on(question);
        });
}

}  // namespace tamp::dashboard
