// What an API server, or whoever stands in its place, can send besides objects.
#pragma once

#include <string_view>

namespace tamp::fuzz {

void watch(std::string_view bytes);
void api_status(std::string_view bytes);
void lease(std::string_view bytes);

}  // namespace tamp::fuzz
