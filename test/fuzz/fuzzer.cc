// libFuzzer's way in, one program for all targets: the name by which it is called, fuzz_<target>, chooses.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz/targets.h"

namespace {

void (*run)(std::string_view bytes) = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** argv) {
  std::string_view name = (*argv)[0];
  name.remove_prefix(name.rfind('/') + 1);
  for (const auto& target : tamp::fuzz::targets())
    if (name.starts_with("fuzz_") && name.substr(5) == target.name) run = target.run;
  if (run) return 0;
  std::fprintf(stderr, "no fuzz target is called %s\n", (*argv)[0]);
  std::_Exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  run({reinterpret_cast<const char*>(data), size});
  return 0;
}
