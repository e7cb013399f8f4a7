// libFuzzer's way in; compiled once for each target, whose name is TAMP_FUZZ_TARGET.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto& target : tamp::fuzz::targets())
    if (target.name == TAMP_FUZZ_TARGET) target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
