// Names of container images: "registry.example.com:5000/team/app:1.2@sha256:…".
#pragma once

#include <string_view>

namespace tamp::world::api {

// Whether a kubelet that follows the name may find another image tomorrow: its tag is "latest", or it has neither tag nor digest.
// What cannot be read as a name has no tag either, and is not.
bool names_latest_image(std::string_view image);

}  // namespace tamp::world::api
