// Names and uids that the server makes up.
#pragma once

#include <string>
#include <string_view>

#include "sim/api/dice.h"

namespace tamp::world::api {

// A uid in the form of a random (version 4) UUID.
std::string make_uid(Dice& dice);
// generateName with five characters of the alphabet that makes no words; the base is cut to leave room within 63.
std::string make_name(std::string_view base, Dice& dice);

}  // namespace tamp::world::api
