// Pressure stall information as the kernel prints it, in cgroups (cpu.pressure, memory.pressure, io.pressure) and in
// /proc/pressure:
//
//   some avg10=0.12 avg60=0.05 avg300=0.01 total=123456
//   full avg10=0.00 avg60=0.00 avg300=0.00 total=2345
//
// Kernels before 5.13 print no `full` for cpu, and that for irq has no `some`. Nothing is allocated and nothing throws: a file
// that is not understood from its first to its last byte is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tamp::wire {

struct PressureLine {
  std::uint64_t total_us = 0;  // stalled time since the cgroup was made
  std::uint32_t avg10_centi =
      0;  // hundredths of a percent, decaying; only to see whether the kernel still counts
  bool operator==(const PressureLine&) const = default;
};

struct PressureFile {
  std::optional<PressureLine> some, full;  // absent where the kernel prints no such line
  bool operator==(const PressureFile&) const = default;
};

// Nothing if it is malformed or has neither line.
std::optional<PressureFile> parse_pressure(std::string_view text);

}  // namespace tamp::wire
