// The program tamp-demo: a simulated cluster to watch and to talk to. `tamp demo` starts it. Exit status: 0 ended by the user,
// 2 bad usage, 1 anything else.
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "cli/files.h"
#include "cli/options.h"
#include "sim/demo/demo_command.h"

namespace tamp::cli {
namespace {

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): no other thread runs yet
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

void complain(const std::string& message) { cli::write_error("tamp demo: " + message + "\n"); }

int run(std::span<const char* const> arguments) {
  // The command line is that of `tamp demo`.
  std::vector<const char*> words(arguments.begin(), arguments.end());
  words.insert(words.begin() + 1, "demo");
  const Result<cli::Options> options = cli::parse_options(words, environment);
  if (!options.ok()) {
    complain(options.error().message);
    return 2;
  }
  if (options->verb != cli::Verb::Demo) return cli::write_output(options->help).ok() ? 0 : 1;
  if (const Status ran = cli::run_demo(*options, environment, TAMP_VERSION); !ran.ok()) {
    complain(ran.error().message);
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace tamp::cli

int main(int argc, char** argv) {
  try {
    return tamp::cli::run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& error) {
    tamp::cli::write_error(std::string("tamp demo: internal error: ") + error.what() + "\n");
    return 1;
  }
}
