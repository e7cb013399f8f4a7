#include "sim/api/image_name.h"

#include <algorithm>
#include <string>

#include "sim/api/pattern.h"

namespace tamp::world::api {
namespace {

// Runs of small letters and digits, with a dot, one or two underscores or any number of dashes between them.
const std::string kComponent = "[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*";
const std::string kHostLabel = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const std::string kHost = "(?:\\[[0-9A-Fa-f:]+\\]|" + kHostLabel + "(?:\\." + kHostLabel + ")*)(?::[0-9]+)?";
const std::string kDigest = "(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})";

// The first part of a path is a registry if it looks like one: otherwise it belongs to the path.
bool is_registry(std::string_view head) {
  return head == "localhost" || head.find_first_of(".:") != std::string_view::npos ||
         std::any_of(head.begin(), head.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

bool names_latest_image(std::string_view image) {
  static const Pattern kIdentifier = *Pattern::compile("^[0-9a-f]{64}$");
  static const Pattern kRegistry = *Pattern::compile("^(?:" + kHost + "|" + kComponent + ")$");
  static const Pattern kName =
      *Pattern::compile("^" + kComponent + "(?:/" + kComponent + ")*(?::[^@]*)?(?:@" + kDigest + ")?$");
  constexpr std::size_t kLongestPath = 255;
  if (kIdentifier.matches(image)) return false;
  std::string_view rest = image;
  if (const std::size_t slash = rest.find('/');
      slash != std::string_view::npos && is_registry(rest.substr(0, slash))) {
    if (!kRegistry.matches(rest.substr(0, slash))) return false;
    rest.remove_prefix(slash + 1);
  }
  if (!kName.matches(rest)) return false;
  const std::size_t at = rest.find('@');
  const std::string_view named = rest.substr(0, at);
  const std::size_t colon = named.find(':');
  if (named.substr(0, colon).size() > kLongestPath) return false;
  if (colon == std::string_view::npos) return at == std::string_view::npos;
  return named.substr(colon + 1) == "latest";
}

}  // namespace tamp::world::api
