#include "wire/cgroup_names.h"

#include <algorithm>

#include "core/ascii.h"

namespace tamp::wire {
namespace {

bool is_uid_character(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

constexpr std::size_t kLongestUid = 128;
constexpr std::size_t kContainerId = 64;

}  // namespace

std::string cgroup_uid(std::string_view uid) {
  std::string result = lower(uid);
  std::replace(result.begin(), result.end(), '_', '-');
  return result;
}

std::optional<std::string> pod_of_cgroup(std::string_view directory) {
  std::string_view uid = directory;
  if (uid.ends_with(".slice")) {
    // A '-' of the uid is escaped, so the last "-pod" is the one in front of it.
    uid.remove_suffix(std::string_view(".slice").size());
    if (const std::size_t at = uid.rfind("-pod"); at != std::string_view::npos) uid.remove_prefix(at + 1);
  }
  if (!uid.starts_with("pod")) return std::nullopt;
  uid.remove_prefix(3);
  if (uid.empty() || uid.size() > kLongestUid || !std::all_of(uid.begin(), uid.end(), is_uid_character))
    return std::nullopt;
  return cgroup_uid(uid);
}

std::optional<std::string_view> container_of_cgroup(std::string_view directory) {
  if (directory.ends_with(".scope")) directory.remove_suffix(std::string_view(".scope").size());
  for (const std::string_view runtime : {"cri-containerd-", "crio-", "docker-"})
    if (directory.starts_with(runtime)) {
      directory.remove_prefix(runtime.size());
      break;
    }
  if (directory.size() != kContainerId || !std::all_of(directory.begin(), directory.end(), is_lower_hex))
    return std::nullopt;
  return directory;
}

}  // namespace tamp::wire
