// `tamp demo`: starts the program tamp-demo, which is installed beside this one. The simulated cluster is no part of tamp.
#pragma once

#include <span>
#include <string>

#include "core/result.h"

namespace tamp::cli {

// Replaces this process by tamp-demo. Returns only if that fails: an error that says where the program was looked for.
// `arguments` is argv; the word "demo" is left out, the rest is passed on.
Error start_demo(std::span<const char* const> arguments);

}  // namespace tamp::cli
