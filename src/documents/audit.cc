#include "documents/audit.h"

#include <fmt/format.h>

#include "core/json_writer.h"
#include "core/sha256.h"

namespace tamp::documents {
namespace {

using run::Mutation;

constexpr std::string_view kHashMember = R"(,"hash":")";
constexpr std::size_t kHashLength = 64;

// The text of a string member that was written by append(): the first one of that name.
std::string_view member(std::string_view line, std::string_view key) {
  const std::string start = fmt::format("\"{}\":\"", key);
  const std::size_t at = line.find(start);
  if (at == std::string_view::npos) return {};
  const std::size_t from = at + start.size();
  return line.substr(from, line.find('"', from) - from);
}

struct Line {
  std::string_view text, hash;  // the text without its hash member
};

// {…,"hash":"64 digits"}
Result<std::pair<std::string, std::string>> split(std::string_view line) {
  const std::size_t tail = kHashMember.size() + kHashLength + 2;
  if (line.size() < tail + 1 || line.substr(line.size() - tail, kHashMember.size()) != kHashMember ||
      !line.ends_with("\"}"))
    return Error{"does not end in its hash"};
  return std::pair{std::string(line.substr(0, line.size() - tail)) + "}",
                   std::string(line.substr(line.size() - 2 - kHashLength, kHashLength))};
}

template <typename Each>
Status for_each_line(std::string_view lines, const Each& each) {
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string_view line = lines.substr(at, end - at);
    at = end + 1;
    ++number;
    if (auto status = each(number, line); !status.ok())
      return std::move(status).error().with(fmt::format("line {}", number));
  }
  return success();
}

std::string object_of(const Mutation& entry) {
  return entry.ns.empty() ? entry.name : entry.ns + "/" + entry.name;
}

}  // namespace

Result<AuditHead> verify_audit(std::string_view lines) {
  AuditHead head;
  TAMP_CHECK(for_each_line(lines, [&](std::uint64_t number, std::string_view line) -> Status {
    TAMP_TRY(const auto parts, split(line));
    const auto& [text, hash] = parts;
    if (sha256_hex(text) != hash) return Error{"was changed: its hash does not fit its text"};
    const std::string previous = R"("previous":")" + head.hash + "\"}";
    if (!text.ends_with(previous))
      return Error{"does not follow the line before it: one was dropped, inserted or moved"};
    if (!text.starts_with(fmt::format(R"({{"seq":{},)", number))) return Error{"has another number"};
    head = {number, hash};
    return success();
  }));
  return head;
}

bool audit_contains(std::string_view lines, std::string_view hash) {
  return hash.empty() || lines.find(fmt::format("{}{}\"}}", kHashMember, hash)) != std::string_view::npos;
}

Result<AuditBook> AuditBook::open(std::string_view lines) {
  AuditBook book;
  TAMP_TRY(book.head_, verify_audit(lines));
  TAMP_CHECK(for_each_line(lines, [&](std::uint64_t, std::string_view line) -> Status {
    book.recorded_.emplace(member(line, "key"));
    return success();
  }));
  return book;
}

std::string AuditBook::append(std::string key, std::string members, Time at, std::string_view run) {
  if (!recorded_.insert(key).second) return {};
  std::string text =
      fmt::format(R"({{"seq":{},"key":"{}","at":"{}","run":)", head_.records + 1, key, format_rfc3339(at));
  append_json_string(text, run);
  text += members + R"(,"previous":")" + head_.hash + "\"}";
  head_ = {head_.records + 1, sha256_hex(text)};
  text.pop_back();
  return text + std::string(kHashMember) + head_.hash + "\"}\n";
}

std::string AuditBook::update(const run::Run& run, Time now) {
  std::string out;
  const auto said = [](std::string_view name, std::string_view value) {
    std::string text = fmt::format(",\"{}\":", name);
    append_json_string(text, value);
    return text;
  };
  out += append("approval",
                said("what", "approval") + said("planHash", run.plan_hash) + said("by", run.approved_by) +
                    said("source", run.source),
                run.approved_at, run.name);
  for (std::size_t i = 0; i < run.phases.size(); ++i)
    out += append(fmt::format("phase-{}", i),
                  said("what", "phase") + said("phase", run::word(run.phases[i].phase)) +
                      said("reason", run.phases[i].reason),
                  run.phases[i].at, run.name);
  for (const Mutation& entry : run.journal.entries) {
    out += append(fmt::format("intent-{}", entry.id),
                  said("what", "intent") + said("kind", run::word(entry.kind)) +
                      said("object", object_of(entry)) + said("uid", entry.uid),
                  entry.intended, run.name);
    if (entry.attempts == 0 && !entry.over()) continue;
    out += append(fmt::format("result-{}-{}-{}", entry.id, entry.attempts, run::word(entry.state)),
                  said("what", "result") + said("kind", run::word(entry.kind)) +
                      said("object", object_of(entry)) + said("state", run::word(entry.state)) +
                      said("reason", entry.reason) + said("message", entry.message),
                  entry.settled.value_or(entry.tried.value_or(now)), run.name);
  }
  if (!run.guards.tripped.empty())
    out += append("tripped", said("what", "guard") + said("guard", run.guards.tripped), now, run.name);
  if (!run.guards.late_trip.empty())
    out +=
        append("late-trip", said("what", "late-guard") + said("guard", run.guards.late_trip), now, run.name);
  return out;
}

}  // namespace tamp::documents
