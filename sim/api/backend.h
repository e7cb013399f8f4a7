// What every operation of the API server works on: the store, what is served, the time and chance.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "core/time.h"
#include "sim/api/custom.h"
#include "sim/api/dice.h"
#include "sim/api/resource.h"
#include "sim/api/schema.h"
#include "sim/api/server.h"
#include "sim/api/store.h"

namespace tamp::world::api {

// What a bearer token stands for.
struct Token {
  Caller caller;
  std::optional<Time> expires = {};
  ObjectKey account = {};  // of a ServiceAccount: namespace and name
};

// When a version of an event goes, if it is still the latest then.
struct Expiry {
  Time when;
  ObjectKey key;
  std::string version;
};

struct Backend {
  Store store;
  Registry registry;
  std::map<ResourceId, CustomKind> customs;
  std::map<std::pair<ResourceId, std::string>, Schema> custom_schemas;  // by version
  Dice dice;
  Time now;
  std::map<std::string, Token, std::less<>> tokens;
  std::deque<Expiry> expiries;  // of events, soonest first
  bool tracks_managers = true;  // metadata.managedFields
};

// The version of a custom kind that a resource of the registry shows; nullptr for built-in ones.
const CustomVersion* custom_version(const Backend& backend, const Resource& resource);
// What is known of the resource's fields. nullptr: nothing.
const Schema* schema_of(const Backend& backend, const Resource& resource);

// One write, on its way.
struct Writing {
  const Caller* caller = nullptr;
  std::string manager = {};  // field manager; empty: ownership of fields is not kept
  std::string subresource = {};
  bool dry_run = false;
  bool force = false;
  bool of_the_world = false;  // by a controller in memory: what it says of status is taken as it is
  bool by_name = false;       // a PUT or PATCH, which may create what is not there
  bool applied = false;       // by server-side apply, which has kept the ownership of fields already
};

}  // namespace tamp::world::api
