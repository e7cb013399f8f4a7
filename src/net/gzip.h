// Bytes in gzip's format, for clients that take it.
#pragma once

#include <string>
#include <string_view>

namespace tamp::net {

std::string gzip(std::string_view bytes);
// Does an Accept-Encoding header allow it? "gzip;q=0" does not.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace tamp::net
