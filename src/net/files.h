// Reading small files whole: kubeconfigs, tokens, certificates.
#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"

namespace tamp::net {

// The error names the path. Refuses more than `largest` bytes.
Result<std::string> read_file(const std::string& path, std::size_t largest);
bool file_exists(const std::string& path);

}  // namespace tamp::net
