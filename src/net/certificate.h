// Certificates of the webhook: an authority of our own whose certificate the webhook configuration carries (caBundle), and
// the server's certificate that it signs. Texts in and out (PEM); who keeps them where is the controller's business.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace tamp::net {

// A certificate and its key (ECDSA P-256), PEM.
struct CertifiedKey {
  std::string certificate;
  std::string private_key;
};

inline constexpr Duration kAuthorityLife = Duration::hours(10 * 365 * 24);
inline constexpr Duration kServingLife = Duration::hours(365 * 24);

// Valid from an hour before `now` (other clocks may be late) until its life after `now`. Keys and serial numbers come from
// OpenSSL's random source, so no two are equal.
Result<CertifiedKey> make_authority(std::string_view common_name, Time now, Duration life = kAuthorityLife);
// `names`: DNS names or IP addresses ("tamp-webhook.tamp-system.svc"); the first one is also the common name. It never
// outlives its authority.
Result<CertifiedKey> make_serving_certificate(const CertifiedKey& authority,
                                              const std::vector<std::string>& names, Time now,
                                              Duration life = kServingLife);

// Of somebody who calls a server that trusts this authority; `name` is as above.
Result<CertifiedKey> make_client_certificate(const CertifiedKey& authority, const std::string& name, Time now,
                                             Duration life = kServingLife);

struct Validity {
  Time from, until;
};
// Of the first certificate in the text.
Result<Validity> certificate_validity(const std::string& certificate_pem);

// From two thirds of its life on, so that a third is left to try again; also before it is valid (a clock was wrong).
bool rotation_due(Validity validity, Time now);

// Is it fit to serve `names` at `now`: key and certificate belong together, signed by this authority, within validity,
// valid for every name? The error says which is not so.
Status check_serving_certificate(const CertifiedKey& serving, const std::string& authority_pem,
                                 const std::vector<std::string>& names, Time now);

}  // namespace tamp::net
