#include "wire/pseudonyms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ascii.h"

namespace tamp::wire {
namespace {

// Names that everybody's cluster has, and strings that decoders look for.
constexpr std::array<std::string_view, 9> kFixed = {
    "default", "kube-system", "kube-public", "kube-node-lease", "true", "false", "spot", "on-demand", "rbd"};
// Parts of paths that say what the next part is.
constexpr std::array<std::string_view, 12> kPathWords = {"projects",
                                                         "zones",
                                                         "regions",
                                                         "disks",
                                                         "UNSPECIFIED",
                                                         "subscriptions",
                                                         "resourceGroups",
                                                         "providers",
                                                         "Microsoft.Compute",
                                                         "virtualMachines",
                                                         "virtualMachineScaleSets",
                                                         "instances"};
// Only a disk that is called so is taken for an EBS volume.
constexpr std::string_view kEbsPrefix = "vol-";

bool is_path_word(std::string_view part) {
  return part.empty() || part.ends_with(':') ||
         std::find(kPathWords.begin(), kPathWords.end(), part) != kPathWords.end();
}

// Calls `visit` with each part of the path and the separator after it.
template <typename Visit>
void each_part(std::string_view path, Visit visit) {
  for (;;) {
    const auto end = path.find_first_of("/, ");
    visit(path.substr(0, end), end == std::string_view::npos ? std::string_view() : path.substr(end, 1));
    if (end == std::string_view::npos) return;
    path.remove_prefix(end + 1);
  }
}

// What all strings of digits may follow to lie between two names that stay. `after` may be empty: there is none.
std::string prefix_between(std::string_view before, std::string_view after) {
  for (const char letter : std::string_view("xwvutsrqponmlkjihgfedcbazy")) {
    const std::string low{letter, '0'}, high{letter, '9', '~'};
    if (before < low && (after.empty() || high < after)) return std::string(1, letter);
  }
  return before.empty() ? "0" : fmt::format("{}-", before);
}

}  // namespace

void Pseudonyms::add_name(std::string_view name) {
  if (!name.empty() && !names_.contains(name)) names_.emplace(name, std::string());
}

void Pseudonyms::add_path(std::string_view path) {
  each_part(path, [&](std::string_view part, std::string_view) {
    if (!is_path_word(part)) add_name(part);
  });
}

void Pseudonyms::add_word(std::string_view word) { words_.emplace(word); }

void Pseudonyms::add_value(std::string_view value) {
  if (value.size() > 1 && all_digits(value.substr(1))) digits_ = std::max(digits_, value.size());
}

void Pseudonyms::add_pod_claim(std::string_view pod, std::string_view volume) {
  pod_claims_.emplace_back(pod, volume);
}

bool Pseudonyms::stays(const std::string& name) const {
  return words_.contains(name) || all_digits(name) ||
         std::find(kFixed.begin(), kFixed.end(), name) != kFixed.end();
}

void Pseudonyms::settle() {
  digits_ = std::max(digits_, std::to_string(names_.size()).size());
  std::vector<std::string_view> staying;
  for (const auto& [name, pseudonym] : names_) {
    add_value(name);
    if (stays(name)) staying.push_back(name);
  }
  std::size_t next = 0, number = 0;
  const auto prefix = [&] {
    return prefix_between(next == 0 ? "" : staying[next - 1], next == staying.size() ? "" : staying[next]);
  };
  std::string current = prefix();
  for (auto& [name, pseudonym] : names_) {
    ++number;
    if (next < staying.size() && name == staying[next]) {
      pseudonym = name;
      ++next;
      current = prefix();
    } else {
      pseudonym = fmt::format("{}{:0{}}", current, number, digits_);
    }
  }
  for (const auto& [pod, volume] : pod_claims_)
    if (const auto it = names_.find(fmt::format("{}-{}", pod, volume));
        it != names_.end() && !stays(it->first))
      it->second = fmt::format("{}-{}", of(pod), of(volume));
}

std::string_view Pseudonyms::of(std::string_view text) const {
  const auto it = names_.find(text);
  return it == names_.end() ? text : std::string_view(it->second);
}

std::string Pseudonyms::of_path(std::string_view path) const {
  std::string result;
  each_part(path, [&](std::string_view part, std::string_view separator) {
    const std::string_view masked = is_path_word(part) ? part : of(part);
    if (masked != part && part.starts_with(kEbsPrefix)) result += kEbsPrefix;
    result.append(masked).append(separator);
  });
  return result;
}

}  // namespace tamp::wire
