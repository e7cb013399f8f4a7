// The help texts, made from the list of flags.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tamp::cli {

// `program` is what the user typed: "tamp" or "kubectl tamp".
std::string general_help(std::string_view program);
std::string command_help(std::string_view program, std::uint32_t command);

// How to hand a live cluster to a program that reads files.
std::string kubectl_advice(std::string_view command_line);

}  // namespace tamp::cli
