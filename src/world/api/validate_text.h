// The forms of names in Kubernetes. Each answers why a text is not of the form; nullptr if it is.
#pragma once

#include <string_view>
#include <vector>

namespace tamp::world::api {

const char* not_label(std::string_view name);       // RFC 1123 label: up to 63 of a-z 0-9 -
const char* not_label_1035(std::string_view name);  // the same, beginning with a letter
const char* not_subdomain(std::string_view name);   // RFC 1123 subdomain: labels with dots, up to 253
const char* not_path_segment(std::string_view name);
// An optional subdomain and a slash, then up to 63 letters, digits, - _ .
const char* not_qualified(std::string_view name);
const char* not_label_value(std::string_view value);
// Up to 15 of a-z 0-9 -, with a letter. All that is wrong with it.
std::vector<const char*> port_name_problems(std::string_view name);
const char* not_variable(std::string_view name);  // of an environment: printable and no =
const char* not_data_key(std::string_view name);  // of ConfigMaps and Secrets

}  // namespace tamp::world::api
