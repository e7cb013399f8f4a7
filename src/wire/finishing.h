// What is left to do when all objects of a cluster have been decoded.
#pragma once

#include "wire/snapshot.h"

namespace tamp::wire {

// Gives pods the priority of their class where they have only its name, leaves out pods on nodes that are not there (and
// warns of them), and calls Cluster::finish().
void finish_reading(Reading& reading);

}  // namespace tamp::wire
