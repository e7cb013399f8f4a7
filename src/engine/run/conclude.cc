// What came of a journal entry: what is final, what is tried again, and when.
#include <algorithm>

#include "run/advance.h"
#include "run/turn.h"

namespace tamp::run {
namespace {

// Reasons that pass by themselves.
bool passing(std::string_view reason) {
  return reason == "Conflict" || reason == "Unreachable" || reason == "Throttled" || reason == "Budget";
}
// The object that was meant is not there any more.
bool object_gone(std::string_view reason) { return reason == "Gone" || reason == "OtherObject"; }

MutationState judged(const Run& run, const Mutation& m, const Conclusion& c) {
  if (c.state != MutationState::Failed) return c.state;
  if (passing(c.reason)) return MutationState::Blocked;
  // An eviction, a deletion or a release of what is gone has nothing left to do.
  if (object_gone(c.reason))
    return m.kind == MutationKind::Evict && c.reason == "Gone" ? MutationState::Done : MutationState::Failed;
  // Nor may it be deleted as long as somebody is there: the machine decides anew.
  if (c.reason == "InUse") return MutationState::Failed;
  // Taking back is never given up.
  return takes_back(run, m) ? MutationState::Blocked : MutationState::Failed;
}

constexpr std::size_t kLongestMessage = 200;  // bytes; the status must stay small

std::string shortened(std::string text) {
  if (text.size() <= kLongestMessage) return text;
  std::size_t end = kLongestMessage;
  // Not in the middle of a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

}  // namespace

void conclude(Run& run, std::uint32_t mutation, const Conclusion& c, Time now) {
  Mutation* const m = run.journal.find(mutation);
  if (m == nullptr || (m->over() && m->reason != "Withdrawn")) return;
  const bool withdrawn = m->over();
  // Nothing was sent.
  if (c.reason == "Fenced") return;
  const MutationState state = judged(run, *m, c);
  if (withdrawn && state != MutationState::Done) return;

  m->state = state;
  ++m->attempts;
  m->tried = now;
  m->settled.reset();
  m->not_before.reset();
  m->reason = shortened(c.reason);
  m->message = shortened(c.message);
  if (m->over()) m->settled = now;
  if (m->state == MutationState::Intended) m->state = MutationState::Unclear;
  if (m->state == MutationState::Blocked || m->state == MutationState::Unclear)
    m->not_before = now + std::max(c.retry_after.value_or(Duration{}), backoff(m->attempts));
  for (const std::string& mark : c.added)
    if (std::find(m->added.begin(), m->added.end(), mark) == m->added.end()) m->added.push_back(mark);
  if (m->kind == MutationKind::CreateClaim && m->state == MutationState::Done && !c.uid.empty()) {
    m->uid = c.uid;
    run.claim_uid = c.uid;
  }
}

void resume(Run& run) {
  for (Mutation& m : run.journal.entries)
    if (m.state == MutationState::Intended) m.state = MutationState::Unclear;
}

}  // namespace tamp::run
