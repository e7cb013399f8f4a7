#include "explain/proposal_page.h"

#include <fmt/format.h>

#include "core/money.h"
#include "core/time.h"
#include "explain/layout.h"

namespace tamp::explain {
namespace {

constexpr std::size_t kRefusalsShown = 5;

std::string list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + printable(name);
  return out.empty() ? "none" : out;
}

// What failed stands out; what passed gives its numbers.
std::string check_table(const std::vector<proof::Check>& checks, const Style& style) {
  Table table({Align::Left, Align::Left, Align::Left}, 2);
  for (const proof::Check& check : checks)
    table.row({{check.passed ? "passed" : "failed", check.passed ? Ink::Green : Ink::Red},
               {check.name, Ink::Bold},
               {printable(check.detail)}});
  return table.render(style);
}

}  // namespace

std::string proposal_page(const proof::Proposal& proposal, const Style& style) {
  std::string out;
  if (proposal.plan) {
    const proof::ConsolidationPlan& plan = *proposal.plan;
    out += paint(style, Ink::Bold, "PROVEN PLAN") + " " + plan.hash + "\n\n";
    Table table({Align::Left, Align::Left}, 2);
    table.row({{"victims"}, {list(plan.victims)}});
    table.row({{"survivors"}, {list(plan.survivors)}});
    for (const proof::PlannedReplacement& r : plan.replacements)
      table.row({{"replacement"}, {fmt::format("{} of pool {}", list(r.types), printable(r.pool))}});
    table.row({{"saves"},
               {plan.savings_known ? fmt::format("{}/h, {}/month", format_money(plan.hourly_savings),
                                                 format_money(plan.monthly_savings(), 2))
                                   : "not known"}});
    table.row({{"expires"}, {format_rfc3339(plan.expires)}});
    out += table.render(style) + "\n" + check_table(plan.checks, style);
    return out;
  }
  out += paint(style, Ink::Bold, "NO PLAN IS PROVEN") + "\n";
  if (proposal.refusals.empty()) out += "\n  there was no move to prove\n";
  for (std::size_t i = 0; i < proposal.refusals.size() && i < kRefusalsShown; ++i) {
    const proof::Refusal& refusal = proposal.refusals[i];
    out += "\n  " + list(refusal.victims) + "\n" + check_table(refusal.checks, style);
  }
  if (proposal.refusals.size() > kRefusalsShown)
    out += fmt::format("\n  and {} more: tamp plan -o json\n", proposal.refusals.size() - kRefusalsShown);
  return out;
}

}  // namespace tamp::explain
