// The certificate that the agent shows: one from files, which are read again when they change, or one of its own, made at its start
// and again long before it ends. Nobody can check one of its own: callers then trust the network, and give it a token that is good
// for nothing else (--token-audience).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "net/http_server.h"

namespace tamp::agent {

struct IdentityFiles {
  std::string certificate, key;  // paths; empty: one of its own
};

class Identity {
 public:
  Identity(IdentityFiles files, std::vector<std::string> names)
      : files_(std::move(files)), names_(std::move(names)) {}

  // The identity to show from `now` on, if it is another than the last one.
  Result<std::optional<net::TlsIdentity>> renew(Time now);

 private:
  IdentityFiles files_;
  std::vector<std::string> names_;
  std::optional<net::TlsIdentity> last_;
};

// A file whole, at most a mebibyte.
Result<std::string> read_pem(const std::string& path);

}  // namespace tamp::agent
