// Comma-separated values as RFC 4180 has them: quoted fields may hold commas, line ends and doubled quotes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace tamp::wire {

struct CsvRow {
  std::size_t line = 0;  // where it begins, from 1
  std::vector<std::string> fields;
};

// Empty lines are left out.
Result<std::vector<CsvRow>> parse_csv(std::string_view text);

}  // namespace tamp::wire
