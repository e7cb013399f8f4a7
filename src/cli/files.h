// Reading whole files and standard input, and writing standard output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"
#include "wire/snapshot.h"

namespace tamp::cli {

// A snapshot of 10,000 nodes and 130,000 pods is some 300 MB; what is far above it is a mistake.
inline constexpr std::size_t kLargestFile = std::size_t{2} << 30;

// `path` "-" is standard input, which messages call "<stdin>". Refuses directories and more than `largest` bytes.
Result<wire::Input> read_input(const std::string& path, std::size_t largest = kLargestFile);

Status write_output(std::string_view text);
// Readable by its owner alone: what people keep in such files names their machines and workloads.
Status write_file(const std::string& path, std::string_view text);
// Best effort: there is nobody left to tell.
void write_error(std::string_view text);

}  // namespace tamp::cli
