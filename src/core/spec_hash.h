// Content hashes of what a Cluster interns: equal specs and equal label sets have equal hashes.
#pragma once

#include <cstddef>

#include "core/labels.h"
#include "core/pod.h"

namespace tamp {

std::size_t content_hash(const LabelSet& labels);
std::size_t content_hash(const PodSpec& spec);

}  // namespace tamp
