#include "cli/start_demo.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

namespace tamp::cli {

Error start_demo(std::span<const char* const> arguments) {
  std::error_code failure;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) return Error{"tamp demo: cannot find out where tamp is installed: " + failure.message()};
  const std::string program = (self.parent_path() / "tamp-demo").string();

  std::vector<std::string> passed{program};
  bool verb_left_out = false;
  for (const char* const argument : arguments.subspan(1)) {
    if (!verb_left_out && std::string_view(argument) == "demo") {
      verb_left_out = true;
      continue;
    }
    passed.emplace_back(argument);
  }
  std::vector<char*> raw;
  raw.reserve(passed.size() + 1);
  for (std::string& argument : passed) raw.push_back(argument.data());
  raw.push_back(nullptr);
  ::execv(program.c_str(), raw.data());
  const int reason = errno;
  if (reason == ENOENT)
    return Error{"tamp demo needs the program tamp-demo beside tamp, and there is no " + program +
                 "; install the tamp-demo package, or build it with ./dev build"};
  return Error{"tamp demo: cannot start " + program + ": " + std::generic_category().message(reason)};
}

}  // namespace tamp::cli
