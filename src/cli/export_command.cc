// `tamp export RUN DIR` and `tamp audit verify RUN|FILE`: a run's records, written to files and checked.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "cli/api_session.h"
#include "cli/files.h"
#include "cli/run_commands.h"
#include "controller/ledger.h"
#include "documents/audit.h"
#include "documents/run_document.h"
#include "explain/layout.h"
#include "explain/run_page.h"

namespace tamp::cli {
namespace {

using wire::Tree;

constexpr net::ResourceType kConfigMaps{"", "v1", "configmaps", true};
constexpr int kMostParts = 4;

std::string namespace_of(const Options& options) {
  return options.controller.ns.empty() ? "tamp-system" : options.controller.ns;
}

// All parts; empty if there are none.
Result<std::string> ledger_lines(ApiSession& session, const std::string& ns, const std::string& run,
                                 std::string_view what) {
  std::string lines;
  for (int part = 1; part <= kMostParts; ++part) {
    const auto object = session.get(kConfigMaps, ns, controller::ledger_part(run, what, part));
    if (!object && session.refused_as(net::ApiError::Kind::NotFound)) break;
    if (!object) return Error{object.error().message};
    lines += object->at({"data"})[controller::ledger_key(what)].string();
  }
  return lines;
}

// The line of this moment, pretty enough to read; empty if there is none.
std::string moment(const std::string& lines, std::string_view which) {
  const std::string start = "{\"moment\":\"" + std::string(which) + "\"";
  const std::size_t at = lines.find(start);
  if (at == std::string::npos || (at != 0 && lines[at - 1] != '\n')) return {};
  return lines.substr(at, lines.find('\n', at) + 1 - at);
}

std::string verdict(const documents::AuditHead& head) {
  return fmt::format("{} audit records, each follows the one before it; the last is {}\n", head.records,
                     head.hash.empty() ? "none" : head.hash);
}

}  // namespace

Result<std::string> run_export(const RunInvocation& run) {
  auto opened = ApiSession::open(run.options, run.environment);
  if (!opened) return std::move(opened).error();
  ApiSession& session = **opened;
  run.failed = true;  // from here on nothing is the user's mistake
  const std::string& name = run.options.subject;
  const std::string& directory = run.options.target;
  TAMP_TRY(const Tree object, session.get(net::kConsolidationRuns, "", name));
  TAMP_TRY(const run::Run one, documents::read_run(wire::to_json(object)));
  const std::string ns = namespace_of(run.options);
  TAMP_TRY(const std::string audit, ledger_lines(session, ns, name, "audit"));
  TAMP_TRY(const std::string timeline, ledger_lines(session, ns, name, "timeline"));
  TAMP_TRY(const std::string snapshots, ledger_lines(session, ns, name, "snapshots"));
  if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST)
    return Error{directory + ": " + std::strerror(errno)};  // NOLINT(concurrency-mt-unsafe): one thread
  const std::pair<const char*, std::string> files[] = {
      {"REPORT.md", explain::run_report(one, session.now())},
      {"plan.json", moment(snapshots, "plan")},
      {"final-status.json", wire::to_json(object["status"]) + "\n"},
      {"phases.log", explain::phase_log(one)},
      {"timeline.jsonl", timeline},
      {"audit.jsonl", audit},
      {"snapshot-before.json", moment(snapshots, "before")},
      {"snapshot-after.json", moment(snapshots, "after")},
  };
  std::string out = "wrote " + directory + ":\n";
  for (const auto& [file, text] : files) {
    if (text.empty()) {
      out += fmt::format("  {:<21} left out: nothing is recorded\n", file);
      continue;
    }
    TAMP_CHECK(write_file(directory + "/" + file, text));
    out += fmt::format("  {:<21} {} bytes\n", file, text.size());
  }
  run.failed = false;
  return out;
}

Result<std::string> run_audit(const RunInvocation& run) {
  const std::string& what = run.options.target;
  struct stat info{};
  if (what == "-" || ::stat(what.c_str(), &info) == 0) {
    TAMP_TRY(const wire::Input input, read_input(what));
    auto head = documents::verify_audit(input.bytes);
    if (!head) {
      run.failed = true;
      return std::move(head).error().with(what);
    }
    return verdict(*head);
  }
  auto opened = ApiSession::open(run.options, run.environment);
  if (!opened) return std::move(opened).error();
  ApiSession& session = **opened;
  run.failed = true;
  TAMP_TRY(const Tree object, session.get(net::kConsolidationRuns, "", what));
  TAMP_TRY(const std::string lines, ledger_lines(session, namespace_of(run.options), what, "audit"));
  auto head = documents::verify_audit(lines);
  if (!head) return std::move(head).error().with("audit records of run " + explain::printable(what));
  const std::string_view known = object.at({"status", "auditHead"}).string();
  if (!documents::audit_contains(lines, known))
    return Error{fmt::format("audit records of run {}: the newest that its status knows, {}, is missing",
                             explain::printable(what), known)};
  run.failed = false;
  return verdict(*head);
}

}  // namespace tamp::cli
