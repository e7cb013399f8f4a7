// What goes wrong in a trial: a kind, and when it strikes. Kinds carry the numbers of the fault list in docs/guides/simulation.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/time.h"

namespace tamp::sim {

enum class TroubleKind : std::uint8_t {
  Crash,            // F1
  StaleLists,       // F2
  CutWatches,       // F3
  GoneWatches,      // F4
  StalledWatches,   // F4
  AnswersLost,      // F5
  RequestsLost,     // F5
  Conflicts,        // F6
  ServerErrors,     // F7
  Throttled,        // F7
  AdmissionDenies,  // F8: writes to nodes
  RightsRemoved,    // F9: evictions
  OneNodeDenied,    // F10: some survivors are protected, one cannot be
  Freeze,           // F11
  ClockJump,        // F11
  TakeOver,         // F12: the leader is frozen until another leads
  ScaleUp,          // F13
  Intruder,         // F14: a pod that nobody planned is bound to a victim
  SurvivorGone,     // F15
  SurvivorSilent,   // F15: its kubelet is
  NoPlace,          // F16: all survivors are cordoned
  NeverReady,       // F16: new pods of a workload never are
  CrashLoop,        // F17: or crash
  BudgetShut,       // F19
  TwoBudgets,       // F19
  NeverTerminates,  // F20: a finalizer holds pods
  NamespaceGoes,    // F21
  Rollout,          // F22
  VictimGone,       // F23: reaped early
  NodesComing,      // F23: the autoscaler buys
  HumanCordons,     // F24: a survivor
  HumanUncordons,   // F24: a victim
  MarksRemoved,     // F24
  MarkChanged,      // F24
  NoteRemoved,      // F24
  NodeRecreated,    // F26
  RunDeleted,       // F28
  RunErased,        // F28: with its finalizer
  KindDeleted,      // F28: the definition of ConsolidationRun, and all runs with it
  Upgraded,         // F28: the controller stops in good order, and another begins
  AgentSilent,      // F29
  AgentRestarted,   // F29
  AgentSkewed,      // F29: its clock is wrong
  AgentFrozen,      // F30
  PressureOff,      // F31
  OwnQuota,         // F32: a protected pod wants more than its own limit gives
  Spike,            // F33: pressure between two samples
  CgroupReused,     // F34: what an agent says of a pod is another one's
  AgentForged,      // F35: malformed, too large, or of another node
  AgentLies,        // F35: says that there is no pressure, whatever there is
  Squeeze,          // F36: all pods of a survivor want all of its cores
  LateSqueeze,      // F36: … when the nodes are gone
  StaleApproval,    // F37
  SecondApproval,   // F37
  AbortAsked,       // F37: and an approval during the abort
  KillSwitch,       // F38
  NodePaused,       // F38
  PolicyObserves,   // F38
};
inline constexpr std::size_t kTroubleKinds = static_cast<std::size_t>(TroubleKind::PolicyObserves) + 1;
// "F1 Crash"
std::string_view name_of(TroubleKind kind);
// Whether it touches what pods need: nodes, workloads, budgets. The others are between the controller and the API server, at the
// agents, or of people who speak to the controller only.
bool disturbs_pods(TroubleKind kind);

struct Trouble {
  TroubleKind kind{};
  std::string phase;       // strikes when the first run enters this phase …
  Duration delay;          // … and so much later
  Duration lasting;        // of those that pass
  std::uint64_t salt = 0;  // its own dice
};

}  // namespace tamp::sim
