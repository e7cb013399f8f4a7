// "Where could this pod run, and why not there?" for tools and for people.
#pragma once

#include <string>
#include <vector>

#include "model/cluster.h"
#include "report/style.h"
#include "schedule/fits.h"

namespace tamp::report {

std::string fits_json(const Cluster& cluster, const std::vector<schedule::PodFit>& fits);
std::string fits_yaml(const Cluster& cluster, const std::vector<schedule::PodFit>& fits);
// Few pods: a line for each node. Many: a line for each pod.
std::string fits_page(const Cluster& cluster, const std::vector<schedule::PodFit>& fits, const Style& style);

}  // namespace tamp::report
