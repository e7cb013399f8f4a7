#include "sim/campaign/trouble.h"

#include <array>

namespace tamp::sim {

std::string_view name_of(TroubleKind kind) {
  constexpr std::array<std::string_view, kTroubleKinds> kNames = {
      "F1 Crash",          "F2 StaleLists",       "F3 CutWatches",      "F4 GoneWatches",
      "F4 StalledWatches", "F5 AnswersLost",      "F5 RequestsLost",    "F6 Conflicts",
      "F7 ServerErrors",   "F7 Throttled",        "F8 AdmissionDenies", "F9 RightsRemoved",
      "F10 OneNodeDenied", "F11 Freeze",          "F11 ClockJump",      "F12 TakeOver",
      "F13 ScaleUp",       "F14 Intruder",        "F15 SurvivorGone",   "F15 SurvivorSilent",
      "F16 NoPlace",       "F16 NeverReady",      "F17 CrashLoop",      "F19 BudgetShut",
      "F19 TwoBudgets",    "F20 NeverTerminates", "F21 NamespaceGoes",  "F22 Rollout",
      "F23 VictimGone",    "F23 NodesComing",     "F24 HumanCordons",   "F24 HumanUncordons",
      "F24 MarksRemoved",  "F24 MarkChanged",     "F24 NoteRemoved",    "F26 NodeRecreated",
      "F28 RunDeleted",    "F28 RunErased",       "F28 KindDeleted",    "F28 Upgraded",
      "F29 AgentSilent",   "F29 AgentRestarted",  "F29 AgentSkewed",    "F30 AgentFrozen",
      "F31 PressureOff",   "F32 OwnQuota",        "F33 Spike",          "F34 CgroupReused",
      "F35 AgentForged",   "F35 AgentLies",       "F36 Squeeze",        "F36 LateSqueeze",
      "F37 StaleApproval", "F37 SecondApproval",  "F37 AbortAsked",     "F38 KillSwitch",
      "F38 NodePaused",    "F38 PolicyObserves"};
  return kNames.at(static_cast<std::size_t>(kind));
}

bool disturbs_pods(TroubleKind kind) {
  using enum TroubleKind;
  return (kind >= ScaleUp && kind <= HumanUncordons) || kind == NodeRecreated || kind == OwnQuota ||
         kind == Spike || kind == Squeeze || kind == LateSqueeze;
}

}  // namespace tamp::sim
