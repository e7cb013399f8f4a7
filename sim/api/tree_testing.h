// Trees as tests write them: JSON with single quotes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "wire/tree.h"

namespace tamp::world::api {

inline wire::Tree tree(std::string json) {
  std::replace(json.begin(), json.end(), '\'', '"');
  auto read = wire::read_tree(json);
  EXPECT_TRUE(read) << json;
  return read ? *read : wire::Tree();
}

}  // namespace tamp::world::api

namespace tamp::wire {
inline void PrintTo(const Tree& tree, std::ostream* out) { *out << to_json(tree); }
}  // namespace tamp::wire
