// A JSON patch (RFC 6902) in the making: its operations, and keys as steps of its paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tamp {

// `value` is JSON text and empty for "remove".
struct PatchOperation {
  std::string op, path, value;
  bool operator==(const PatchOperation&) const = default;
};

// One token of a JSON pointer: "karpenter.sh~1do-not-disrupt".
std::string pointer_token(std::string_view key);

std::string make_json_patch(const std::vector<PatchOperation>& operations);

}  // namespace tamp
