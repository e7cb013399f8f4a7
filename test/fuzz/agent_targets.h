// What the agent reads: the kernel's files, names of cgroups, lists and watches of pods, the API server's answers about callers;
// and what it publishes.
#pragma once

#include <string_view>

namespace tamp::fuzz {

void kernel_files(std::string_view bytes);
void node_pods(std::string_view bytes);
void access_review(std::string_view bytes);
void tier_requests(std::string_view bytes);
void autoscaler_status(std::string_view bytes);

}  // namespace tamp::fuzz
