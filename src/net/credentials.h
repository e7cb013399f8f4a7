// As whom we speak to the API server. Some credentials are fixed; others are issued for a while (a token file that is
// rotated, a plugin) and have to be asked for again.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/result.h"
#include "core/time.h"

namespace tamp::net {

// All of these are secrets: never in a log or an error. Empty strings are not given.
struct Credentials {
  std::string token;             // bearer
  std::string user, password;    // basic
  std::string certificate, key;  // PEM
  bool operator==(const Credentials&) const = default;
};

struct Issued {
  Credentials credentials;
  std::optional<Duration> good_for;  // none: until the server refuses them
};

// Asks for fresh credentials. May take long and block; called on a thread of the transport's own, one call at a time;
// gives up soon when the token says stop.
using CredentialSource = std::function<Result<Issued>(std::stop_token)>;

// Paths; empty ones are not used.
struct CredentialFiles {
  std::string token;
  std::string certificate, key;
};

// `fixed` with what the files hold laid over it. The files are read again every minute, since kubelets and certificate
// tools replace them; while one cannot be read, what it held before counts.
CredentialSource credentials_from_files(Credentials fixed, CredentialFiles files);

// Fails on a token that cannot be sent in a header.
Status check_token(const std::string& token);

}  // namespace tamp::net
