// A file as parsed values: one JSON value, several JSON values in a row, or the documents of a YAML stream.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "wire/value.h"

namespace tamp::wire {

// Documents that hold nothing are left out; a file without any other is an error.
Result<std::vector<Json>> parse_documents(const std::string& bytes);

}  // namespace tamp::wire
