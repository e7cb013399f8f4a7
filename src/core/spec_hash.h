// Content hashes of what a Cluster interns: equal specs and equal label sets have equal hashes.
#pragma once

#include <cstddef>

#include "model/labels.h"
#include "model/pod.h"

namespace tamp {

std::size_t content_hash(const LabelSet& labels);
std::size_t content_hash(const PodSpec& spec);

}  // namespace tamp
