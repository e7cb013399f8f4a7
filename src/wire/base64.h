// Base64 (RFC 4648, the standard alphabet with padding), as kubeconfig and Secrets have it.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace tamp::wire {

// Line breaks are ignored, as in Go's decoder. The error does not quote the text: it may be a secret.
Result<std::string> decode_base64(std::string_view text);
std::string encode_base64(std::string_view bytes);

}  // namespace tamp::wire
