// Requests to the embedded API server, as its port hands them on.
#pragma once

#include <string_view>

namespace tamp::fuzz {

// Requests with lines "---" between them, each "METHOD TARGET", lines of headers, an empty line and the body.
void api_request(std::string_view bytes);

}  // namespace tamp::fuzz
