// The Common Expression Language as far as validation rules of CustomResourceDefinitions and admission policies use it: of the
// language all but messages and user-defined types, of the libraries the standard one, strings, lists, optionals, and the
// Kubernetes functions that such rules need. What is outside of it does not compile: whoever relies on a rule that we cannot
// judge learns so when they write it, not when it is asked.
//
// Evaluation has a budget of steps, so that no expression runs long. An expression is a value: copies share nothing.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "wire/tree.h"

namespace tamp::world::api::cel {

struct Node;

// One parsed expression.
class Expression {
 public:
  Expression();
  Expression(const Expression&);
  Expression(Expression&&) noexcept;
  Expression& operator=(const Expression&);
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  // Names that the expression reads from outside: "self", "oldSelf", "request", …
  const std::vector<std::string>& variables() const { return variables_; }
  bool reads(std::string_view variable) const;

 private:
  friend Result<Expression> compile(std::string_view text);
  friend struct Evaluation;
  std::vector<Node> nodes_;  // children before parents; the last is the whole
  std::vector<std::string> variables_;
};

// The error names what is not understood.
Result<Expression> compile(std::string_view text);

// What names stand for. A variable without an entry is an error when it is read.
struct Binding {
  std::string_view name;
  const wire::Tree* value;
};

// The outcome as data; types, durations and timestamps become their texts. An error if evaluation fails, as "no such key: x".
Result<wire::Tree> evaluate(const Expression& expression, const std::vector<Binding>& bindings);
Result<bool> evaluate_bool(const Expression& expression, const std::vector<Binding>& bindings);

}  // namespace tamp::world::api::cel
