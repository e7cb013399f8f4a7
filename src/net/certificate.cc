#include "net/certificate.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include "core/ascii.h"

namespace tamp::net {
namespace {

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* thing) const {
    Free(thing);
  }
};
template <typename T, auto Free>
using Owned = std::unique_ptr<T, Freer<Free>>;
using Key = Owned<EVP_PKEY, EVP_PKEY_free>;
using Certificate = Owned<X509, X509_free>;
using Bio = Owned<BIO, BIO_free_all>;
using Extension = Owned<X509_EXTENSION, X509_EXTENSION_free>;
using Store = Owned<X509_STORE, X509_STORE_free>;
using StoreContext = Owned<X509_STORE_CTX, X509_STORE_CTX_free>;
using Number = Owned<BIGNUM, BN_free>;
using Integer = Owned<ASN1_INTEGER, ASN1_INTEGER_free>;

constexpr int kSerialBits = 127;            // RFC 5280: positive, at most 20 bytes
constexpr std::size_t kMaxCommonName = 64;  // RFC 5280
constexpr Duration kClockSkew = Duration::hours(1);

Error failed(std::string_view what) {
  char text[256] = "unknown error";
  if (const auto code = ERR_get_error(); code != 0) ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return Error{fmt::format("{}: {}", what, text)};
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

Result<CertifiedKey> to_pem(X509* certificate, EVP_PKEY* key) {
  const Bio certificate_bio(BIO_new(BIO_s_mem())), key_bio(BIO_new(BIO_s_mem()));
  if (!certificate_bio || !key_bio || PEM_write_bio_X509(certificate_bio.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return failed("writing a certificate");
  return CertifiedKey{text_of(certificate_bio.get()), text_of(key_bio.get())};
}

Bio reading(const std::string& pem) {
  return Bio(BIO_new_mem_buf(pem.data(), static_cast<int>(std::min<std::size_t>(pem.size(), 1 << 20))));
}

Result<Certificate> read_certificate(const std::string& pem) {
  const Bio bio = reading(pem);
  Certificate certificate(bio ? PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr) : nullptr);
  if (!certificate) return failed("reading a certificate");
  return certificate;
}

Result<Key> read_key(const std::string& pem) {
  const Bio bio = reading(pem);
  // Without this an encrypted key would ask for its password on the terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  Key key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr) : nullptr);
  if (!key) return failed("reading a private key");
  return key;
}

bool set_random_serial(X509* certificate) {
  const Number number(BN_new());
  if (!number || BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) != 1) return false;
  const Integer serial(BN_to_ASN1_INTEGER(number.get(), nullptr));
  return serial && X509_set_serialNumber(certificate, serial.get()) == 1;
}

bool set_validity(X509* certificate, Time from, Time until) {
  return ASN1_TIME_set(X509_getm_notBefore(certificate), static_cast<std::time_t>(from.unix_seconds())) !=
             nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), static_cast<std::time_t>(until.unix_seconds())) !=
             nullptr;
}

bool set_common_name(X509* certificate, std::string_view name) {
  const std::string text(name.substr(0, kMaxCommonName));
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(text.data()),
                                    static_cast<int>(text.size()), -1, 0) == 1;
}

bool extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool is_address(const std::string& name) {
  const Owned<ASN1_OCTET_STRING, ASN1_OCTET_STRING_free> address(a2i_IPADDRESS(name.c_str()));
  ERR_clear_error();
  return address != nullptr;
}

// Letters, digits, hyphens, dots and a star as the first label: nothing that the extension's syntax would take apart.
bool is_dns_name(std::string_view name) {
  if (name.starts_with("*.")) name.remove_prefix(2);
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), [](char c) {
    return is_lower(c) || is_digit(c) || c == '-' || c == '.';
  });
}

Result<std::string> alternative_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    const bool address = is_address(name);
    if (!address && !is_dns_name(name))
      return Error{fmt::format("\"{}\" is neither a DNS name in small letters nor an IP address", name)};
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", address ? "IP" : "DNS", name);
  }
  if (out.empty()) return Error{"a certificate needs a name"};
  return out;
}

Result<Time> to_time(const ASN1_TIME* time) {
  std::tm tm{};
  if (ASN1_TIME_to_tm(time, &tm) != 1) return failed("reading a certificate's validity");
  return from_civil({tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, 0});
}

Result<Validity> validity_of(const X509* certificate) {
  TAMP_TRY(const Time from, to_time(X509_get0_notBefore(certificate)));
  TAMP_TRY(const Time until, to_time(X509_get0_notAfter(certificate)));
  return Validity{from, until};
}

Result<CertifiedKey> make_certificate(const CertifiedKey& authority, const std::vector<std::string>& names,
                                      const std::string& purpose, Time now, Duration life) {
  TAMP_TRY(const std::string alternatives, alternative_names(names));
  TAMP_TRY(const Certificate issuer, read_certificate(authority.certificate));
  TAMP_TRY(const Key issuer_key, read_key(authority.private_key));
  TAMP_TRY(const Validity issuer_validity, validity_of(issuer.get()));
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (!key || !certificate) return failed("making a key");
  X509* x = certificate.get();
  const Time from = std::max(now - kClockSkew, issuer_validity.from);
  const Time until = std::min(now + life, issuer_validity.until);
  const bool made = X509_set_version(x, X509_VERSION_3) == 1 && set_random_serial(x) &&
                    set_validity(x, from, until) && set_common_name(x, names.front()) &&
                    X509_set_issuer_name(x, X509_get_subject_name(issuer.get())) == 1 &&
                    X509_set_pubkey(x, key.get()) == 1 &&
                    extend(x, issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
                    extend(x, issuer.get(), NID_key_usage, "critical,digitalSignature") &&
                    extend(x, issuer.get(), NID_ext_key_usage, purpose) &&
                    extend(x, issuer.get(), NID_subject_key_identifier, "hash") &&
                    extend(x, issuer.get(), NID_authority_key_identifier, "keyid:always") &&
                    extend(x, issuer.get(), NID_subject_alt_name, alternatives) &&
                    X509_sign(x, issuer_key.get(), EVP_sha256()) > 0;
  if (!made) return failed("making a serving certificate");
  return to_pem(x, key.get());
}

}  // namespace

Result<CertifiedKey> make_authority(std::string_view common_name, Time now, Duration life) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (!key || !certificate) return failed("making a key");
  X509* x = certificate.get();
  const bool made =
      X509_set_version(x, X509_VERSION_3) == 1 && set_random_serial(x) &&
      set_validity(x, now - kClockSkew, now + life) && set_common_name(x, common_name) &&
      X509_set_issuer_name(x, X509_get_subject_name(x)) == 1 && X509_set_pubkey(x, key.get()) == 1 &&
      extend(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
      extend(x, x, NID_key_usage, "critical,keyCertSign,cRLSign") &&
      extend(x, x, NID_subject_key_identifier, "hash") && X509_sign(x, key.get(), EVP_sha256()) > 0;
  if (!made) return failed("making an authority");
  return to_pem(x, key.get());
}

Result<CertifiedKey> make_serving_certificate(const CertifiedKey& authority,
                                              const std::vector<std::string>& names, Time now,
                                              Duration life) {
  return make_certificate(authority, names, "serverAuth", now, life);
}

Result<CertifiedKey> make_client_certificate(const CertifiedKey& authority, const std::string& name, Time now,
                                             Duration life) {
  return make_certificate(authority, {name}, "clientAuth", now, life);
}

Result<Validity> certificate_validity(const std::string& certificate_pem) {
  TAMP_TRY(const Certificate certificate, read_certificate(certificate_pem));
  return validity_of(certificate.get());
}

bool rotation_due(Validity validity, Time now) {
  const Duration life = validity.until - validity.from;
  return now < validity.from || now >= validity.from + Duration{life.ns / 3 * 2};
}

Status check_serving_certificate(const CertifiedKey& serving, const std::string& authority_pem,
                                 const std::vector<std::string>& names, Time now) {
  TAMP_TRY(const Certificate certificate, read_certificate(serving.certificate));
  TAMP_TRY(const Key key, read_key(serving.private_key));
  TAMP_TRY(Certificate authority, read_certificate(authority_pem));
  if (X509_check_private_key(certificate.get(), key.get()) != 1)
    return Error{"the private key does not belong to the certificate"};
  const Store store(X509_STORE_new());
  const StoreContext context(X509_STORE_CTX_new());
  if (!store || !context || X509_STORE_add_cert(store.get(), authority.get()) != 1 ||
      X509_STORE_CTX_init(context.get(), store.get(), certificate.get(), nullptr) != 1)
    return failed("checking a certificate");
  X509_STORE_CTX_set_time(context.get(), 0, static_cast<std::time_t>(now.unix_seconds()));
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_SERVER);
  if (X509_verify_cert(context.get()) != 1) {
    const int code = X509_STORE_CTX_get_error(context.get());
    ERR_clear_error();
    return Error{X509_verify_cert_error_string(code)};
  }
  for (const std::string& name : names) {
    const int found = is_address(name)
                          ? X509_check_ip_asc(certificate.get(), name.c_str(), 0)
                          : X509_check_host(certificate.get(), name.data(), name.size(), 0, nullptr);
    if (found != 1) return Error{fmt::format("the certificate is not for {}", name)};
  }
  return success();
}

}  // namespace tamp::net
