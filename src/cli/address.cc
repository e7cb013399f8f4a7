#include "cli/address.h"

#include <charconv>

namespace tamp::cli {

Result<Address> parse_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return Error{"\"" + text + "\" is not IP:PORT"};
  Address address;
  address.ip = text.substr(0, colon);
  if (address.ip.size() > 2 && address.ip.front() == '[' && address.ip.back() == ']')
    address.ip = address.ip.substr(1, address.ip.size() - 2);
  if (address.ip.empty()) address.ip = "0.0.0.0";
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data() + colon + 1, end, address.port).ptr != end || colon + 1 == text.size())
    return Error{"\"" + text + "\" is not IP:PORT"};
  return address;
}

}  // namespace tamp::cli
