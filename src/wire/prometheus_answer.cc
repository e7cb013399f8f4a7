#include "wire/prometheus_answer.h"

#include <fmt/format.h>

#include <cmath>

#include "core/number.h"
#include "wire/tree.h"

namespace tamp::wire {
namespace {

// [1731672000.1, "0.0042"]
Result<double> sample(const Tree& pair) {
  if (pair.elements().size() != 2 || !pair.elements()[1].is_string()) return Error{"is no sample"};
  const std::string_view text = pair.elements()[1].string();
  if (const auto value = read_number<double>(text); value && std::isfinite(*value)) return *value;
  return Error{fmt::format("the answer is {}, which is no number", text.substr(0, 40))};
}

}  // namespace

Result<double> read_prometheus_answer(const std::string& json) {
  TAMP_TRY(const Tree answer, read_tree(json));
  if (answer["status"].string() != "success") {
    const std::string_view error = answer["error"].string("it does not say why");
    return Error{fmt::format("the query was refused: {}", error.substr(0, 200))};
  }
  const Tree& result = answer.at({"data", "result"});
  const std::string_view type = answer.at({"data", "resultType"}).string();
  if (type == "scalar") return sample(result);
  if (type != "vector") return Error{fmt::format("the answer is a {}, not a number", type.substr(0, 40))};
  if (result.elements().size() != 1)
    return Error{fmt::format("the answer has {} elements, not one", result.elements().size())};
  return sample(result.elements()[0]["value"]);
}

}  // namespace tamp::wire
