#include "agent/identity.h"

#include <fstream>
#include <utility>

#include "net/certificate.h"

namespace tamp::agent {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 20;

}  // namespace

Result<std::string> read_pem(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{path + ": cannot be opened"};
  std::string text(kLargest + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Error{path + ": cannot be read"};
  text.resize(static_cast<std::size_t>(file.gcount()));
  text.shrink_to_fit();
  if (text.size() > kLargest) return Error{path + ": is too large"};
  return text;
}

Result<std::optional<net::TlsIdentity>> Identity::renew(Time now) {
  net::TlsIdentity fresh;
  if (!files_.certificate.empty()) {
    TAMP_TRY(fresh.certificate_chain, read_pem(files_.certificate));
    TAMP_TRY(fresh.private_key, read_pem(files_.key));
    if (last_ && last_->certificate_chain == fresh.certificate_chain &&
        last_->private_key == fresh.private_key)
      return std::optional<net::TlsIdentity>();
  } else {
    if (last_) {
      TAMP_TRY(const net::Validity validity, net::certificate_validity(last_->certificate_chain));
      if (!net::rotation_due(validity, now)) return std::optional<net::TlsIdentity>();
    }
    TAMP_TRY(const net::CertifiedKey authority, net::make_authority("tamp-agent", now));
    TAMP_TRY(net::CertifiedKey made, net::make_serving_certificate(authority, names_, now));
    fresh = {std::move(made.certificate), std::move(made.private_key)};
  }
  last_ = fresh;
  return std::optional(std::move(fresh));
}

}  // namespace tamp::agent
