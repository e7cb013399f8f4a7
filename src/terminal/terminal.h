// What standard output is: a terminal or not, how wide, and whether colours are welcome there.
#pragma once

#include "cli/options.h"
#include "report/style.h"

namespace tamp::cli {

report::Style output_style(ColorWish wish, const Environment& environment);

}  // namespace tamp::cli
