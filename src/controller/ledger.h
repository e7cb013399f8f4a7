// Lines about a run that are too many for its status: append-only text in ConfigMaps beside the controller, owned by the run, so
// that they go when it goes. A part that is full is left alone and the next one begun.
//
// Writing is best effort in time, never in content: what could not be written is tried again, and a part that somebody else wrote meanwhile
// is read anew before anything is added to it.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "controller/log.h"
#include "net/client.h"
#include "net/loop.h"

namespace tamp::controller {

// "run-1-audit-2": the second part of the audit records of run-1.
std::string ledger_part(std::string_view run, std::string_view what, int part);
// The key of a part's data: "audit.jsonl".
std::string ledger_key(std::string_view what);

struct LedgerOptions {
  std::string ns;
  std::string run, uid;             // who owns it
  std::string what;                 // "audit", "timeline", "snapshots"
  std::size_t part_size = 600'000;  // an object may have a megabyte
  int most_parts = 4;               // what comes after is dropped, and said so once
};

class Ledger {
 public:
  // Reads what is there; `opened` gets it, again after somebody else wrote.
  Ledger(net::Loop& loop, net::Client& client, const Log& log, LedgerOptions options,
         std::function<void(const std::string& lines)> opened);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // REQUIRES: opened, whole lines.
  void append(std::string_view lines);
  // Writes what was appended, soon.
  void flush();
  bool open() const { return open_; }
  bool full() const { return full_; }
  // Everything that was appended is stored, or was dropped.
  bool settled() const { return open_ && !busy_ && waiting_.empty(); }

 private:
  void read(int part);
  void write();
  void later(const net::ApiError& error);

  net::Loop& loop_;
  net::Client& client_;
  const Log& log_;
  LedgerOptions options_;
  std::function<void(const std::string&)> opened_;
  bool open_ = false, busy_ = false, full_ = false, complained_ = false;
  int part_ = 1;
  std::string read_lines_;      // of all parts, while reading
  std::string text_, version_;  // of the last part; no version: it does not exist yet
  std::string waiting_;         // appended and not stored
  net::Pending request_, retry_;
};

}  // namespace tamp::controller
