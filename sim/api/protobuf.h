// Objects in Kubernetes' protobuf encoding, which kubectl and other Go clients send when they create built-in kinds. Only
// reading: whoever sends protobuf takes JSON as an answer too.
#pragma once

#include <string_view>

#include "core/result.h"
#include "sim/api/object.h"

namespace tamp::world::api {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

// The object with its apiVersion and kind. Fields whose numbers are not known are passed over.
Result<Tree> read_protobuf(std::string_view bytes);

}  // namespace tamp::world::api
