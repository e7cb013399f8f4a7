// What most files of the rooms read first: parsed once by the sanitizer builds (TAMP_PRECOMPILE), by no other. Nothing
// may rely on it: a file includes what it uses, and the g++ build, clang-tidy and check-rooms.py see to that. So no
// clock, thread or file stands here, though simdjson.h brings some of them along.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "core/cluster.h"
#include "core/json_writer.h"
#include "core/result.h"
#include "core/settings.h"
#include "core/time.h"
