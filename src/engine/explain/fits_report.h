// "Where could this pod run, and why not there?" for tools and for people.
#pragma once

#include <string>
#include <vector>

#include "core/cluster.h"
#include "explain/style.h"
#include "fit/fits.h"

namespace tamp::explain {

// Few pods: a line for each node. Many: a line for each pod.
std::string fits_page(const Cluster& cluster, const std::vector<fit::PodFit>& fits, const Style& style);

}  // namespace tamp::explain
