// Errors as values. A function that can fail on foreign input returns Result<T>; the error carries a
// sentence for people and grows context ("file", "object", "field") on its way up. Programmer errors
// are asserted, never returned.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tamp {

struct Error {
  std::string message;

  // Prefixes where the error happened: "pods.json", then "Pod default/web-1", then "spec.containers[0]".
  Error with(std::string_view context) && { return Error{std::string(context) + ": " + std::move(message)}; }
};

// Stands for "no value" in Result<Unit>.
struct Unit {};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok()
  T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok()
  const Error& error() const& {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }
  Error&& error() && {
    assert(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, Error> state_;
};

using Status = Result<Unit>;
inline Status success() { return Unit{}; }

// Returns early with the error of `expr`; otherwise binds its value to `lhs`.
#define TAMP_CONCAT_INNER(a, b) a##b
#define TAMP_CONCAT(a, b) TAMP_CONCAT_INNER(a, b)
#define TAMP_TRY_IMPL(tmp, lhs, expr)           \
  auto tmp = (expr);                            \
  if (!tmp.ok()) return std::move(tmp).error(); \
  lhs = std::move(tmp).value()
#define TAMP_TRY(lhs, expr) TAMP_TRY_IMPL(TAMP_CONCAT(tamp_try_, __LINE__), lhs, expr)
#define TAMP_CHECK(expr)                                                                     \
  do {                                                                                       \
    if (auto tamp_status = (expr); !tamp_status.ok()) return std::move(tamp_status).error(); \
  } while (false)

}  // namespace tamp
