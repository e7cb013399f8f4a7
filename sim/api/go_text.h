// Values as Go programs print them: messages of the API server quote objects in this form.
#pragma once

#include <string>
#include <string_view>

#include "wire/tree.h"

namespace tamp::world::api {

// fmt's %v of decoded JSON: map[a:1 b:[x y]], <nil>.
std::string go_text(const wire::Tree& tree);
// reflect.TypeOf: "map[string]interface {}", "[]interface {}", "string", "int64", "float64", "bool".
std::string_view go_type(const wire::Tree& tree);
// As encoding/json names it in its errors: "object", "array", "string", "number", "bool", "null".
std::string_view json_type(const wire::Tree& tree);

}  // namespace tamp::world::api
