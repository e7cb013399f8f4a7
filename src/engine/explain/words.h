// Numbers and names in words: money per hour and month, shares, counts, pods, and where a setting came from. One
// source for tables, explanations and messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/cluster.h"
#include "core/money.h"
#include "core/settings.h"
#include "search/plan.h"

namespace tamp::explain {

inline constexpr int kHoursPerMonth = 730;

std::string per_hour(Money m);                  // "$0.3456/h", "$7.72/h": cents from $1 on
std::string per_month(Money m);                 // "$252/month"; cents below $10
std::string month_amount(Money m);              // "$252", "$1,766", "$4.38"
std::string hour_amount(std::optional<Money>);  // "$0.3456", always four decimals; "?" when unknown
std::string percent(double share);              // 0.145 → "14.5%", 0.5 → "50%"
std::string decimal(double value);              // at most three decimals, no trailing zeros
std::string grouped(std::int64_t n);            // "130,000"
// "1 node", "3 nodes", "1,204 pods"
std::string count(std::size_t n, std::string_view singular, std::string_view plural);

std::string pod_name(const Cluster& cluster, PodId pod);  // "shop/cart-1"
std::string node_name(const Cluster& cluster, NodeId node);
std::string text(const Cluster& cluster, Symbol symbol);  // safe to print
// "new node", "new node 2" where the command asks for several; by number of the replacement.
std::string new_node(const price::Command& command, std::size_t number);
// Where a pod goes: the node's name, or "new node".
std::string destination(const Cluster& cluster, const price::Command& command, const price::Move& move);

std::string_view name(search::Verdict verdict);   // "blocked"
std::string_view name(SettingSource source);      // "NodePool"
std::string_view sentence(SettingSource source);  // "set by the NodePool"
// What a kube-scheduler filter found wrong: "NodeResourcesFit" → "insufficient resources". Other text as it is.
std::string_view complaint(std::string_view filter);

}  // namespace tamp::explain
