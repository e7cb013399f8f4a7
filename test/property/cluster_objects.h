// A model cluster written out as the objects that an API server would print for it, so that random clusters can go through
// everything that reads bytes.
#pragma once

#include <string>
#include <vector>

#include "core/cluster.h"
#include "wire/kinds.h"

namespace tamp::test {

struct ObjectText {
  wire::ObjectKind kind = wire::ObjectKind::Pod;
  std::string ns;  // empty for kinds without namespaces
  std::string name;
  std::string json;
};

// REQUIRES: finish() was called.
std::vector<ObjectText> objects_of(const Cluster& cluster);

// The machine catalogue, in the KWOK provider's format.
std::string catalogue_of(const Cluster& cluster);

}  // namespace tamp::test
