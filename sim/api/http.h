// The parts of a request's target.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tamp::world::api {

// The parameters after the '?', unescaped, in order.
class Query {
 public:
  Query() = default;
  explicit Query(std::string_view text);
  // The first of that name; empty if there is none.
  std::string_view operator[](std::string_view name) const;
  bool has(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  // As Kubernetes reads booleans of queries: there, and neither "false" nor "0".
  bool flag(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
};

struct TargetParts {
  std::string path;  // unescaped
  Query query;
};
TargetParts split_target(std::string_view target);

// "%2F" and, in queries, "+" for a space. What is no escape stays as it is.
std::string unescape(std::string_view text, bool plus_is_space);

}  // namespace tamp::world::api
