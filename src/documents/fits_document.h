// "Where could this pod run, and why not there?" as a document for tools.
#pragma once

#include <string>
#include <vector>

#include "core/cluster.h"
#include "fit/fits.h"

namespace tamp::documents {

std::string fits_json(const Cluster& cluster, const std::vector<fit::PodFit>& fits);
std::string fits_yaml(const Cluster& cluster, const std::vector<fit::PodFit>& fits);

}  // namespace tamp::documents
