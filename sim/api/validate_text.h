// The forms of names in Kubernetes. Each answers why a text is not of the form: every reason, as each is told
// by itself; none if it is.
#pragma once

#include <string_view>
#include <vector>

namespace tamp::world::api {

using Reasons = std::vector<const char*>;

Reasons not_label(std::string_view name);       // RFC 1123 label: up to 63 of a-z 0-9 -
Reasons not_label_1035(std::string_view name);  // the same, beginning with a letter
Reasons not_subdomain(std::string_view name);   // RFC 1123 subdomain: labels with dots, up to 253
Reasons not_path_segment(std::string_view name);
// An optional subdomain and a slash, then up to 63 letters, digits, - _ .
Reasons not_qualified(std::string_view name);
Reasons not_label_value(std::string_view value);
// Up to 15 of a-z 0-9 -, with a letter. All that is wrong with it.
Reasons port_name_problems(std::string_view name);
// 4 or 6; 0 if it is no address.
int ip_family(std::string_view address);
Reasons not_variable(std::string_view name);  // of an environment: printable and no =
Reasons not_data_key(std::string_view name);  // of ConfigMaps and Secrets

}  // namespace tamp::world::api
