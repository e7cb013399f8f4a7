#include "price/command.h"

#include <fmt/format.h>

namespace tamp::price {

std::string_view name(Method method) {
  switch (method) {
    case Method::Empty:
      return "empty";
    case Method::Multi:
      return "multi";
    case Method::Single:
      return "single";
  }
  return "";
}

std::string replacement_alias(std::size_t number) {
  return number == 0 ? "replacement" : fmt::format("replacement-{}", number + 1);
}

}  // namespace tamp::price
