// The audit records of all runs, read one after the other; those of runs that are over are read once and kept. However many runs there
// are, only the newest count: reading is for people, and the cluster has other things to do.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "documents/dashboard_documents.h"

namespace tamp::dashboard {

// The recorded lines of a run ("audit", "timeline"); answers once.
using ReadRecords = std::function<void(const std::string& run, const std::string& what,
                                       std::function<void(std::string lines)> done)>;

class AuditCollection {
 public:
  struct Found {
    std::vector<documents::RunRecords> runs;  // newest first
    bool complete = true;                     // none was left out
  };
  using Done = std::function<void(const Found&)>;
  using Runs = std::vector<std::shared_ptr<const run::Run>>;

  explicit AuditCollection(ReadRecords read, std::size_t most_runs = 100, std::size_t most_asked = 4)
      : read_(std::move(read)), most_runs_(most_runs), most_asked_(most_asked) {}
  AuditCollection(const AuditCollection&) = delete;
  AuditCollection& operator=(const AuditCollection&) = delete;

  // Answers once, perhaps from within. False: too many ask already, and there will be no answer.
  bool ask(const Runs& runs, Done done);

 private:
  struct Question {
    Found found;
    std::size_t next = 0;
    Done done;
  };
  using At = std::list<Question>::iterator;
  void go_on(At question);
  void keep(const run::Run& run, const std::string& lines);

  ReadRecords read_;
  std::size_t most_runs_, most_asked_;
  std::list<Question> questions_;
  struct Kept {
    std::string uid, lines;
  };
  std::map<std::string, Kept> kept_;  // by run
  std::shared_ptr<AuditCollection*> self_ =
      std::make_shared<AuditCollection*>(this);  // answers find us by it, or find us gone
};

}  // namespace tamp::dashboard
