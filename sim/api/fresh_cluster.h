// What a cluster has before anybody has done anything: the four namespaces with their default accounts, the kubernetes Service,
// the system's priority classes, and the roles that let users find out what there is (RBAC's bootstrap policy, as far as
// somebody here could use it).
#pragma once

#include "sim/api/server.h"

namespace tamp::world::api {

void add_fresh_objects(Server& server);

}  // namespace tamp::world::api
