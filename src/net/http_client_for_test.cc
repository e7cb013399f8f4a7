#include "net/http_client_for_test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace tamp::net::testing {
namespace {

constexpr time_t kPatience = 10;  // seconds

std::size_t content_length(std::string_view header, std::size_t otherwise) {
  std::string lower(header);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::string_view key = "content-length: ";
  const auto at = lower.find(key);
  if (at == std::string::npos) return otherwise;
  std::size_t length = 0;
  std::from_chars(lower.data() + at + key.size(), lower.data() + lower.size(), length);
  return length;
}

void show(SSL_CTX* context, const std::string& certificate, const std::string& key) {
  BIO* certificate_bio = BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size()));
  BIO* key_bio = BIO_new_mem_buf(key.data(), static_cast<int>(key.size()));
  X509* x = PEM_read_bio_X509(certificate_bio, nullptr, nullptr, nullptr);
  EVP_PKEY* private_key = PEM_read_bio_PrivateKey(key_bio, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context, x);
  SSL_CTX_use_PrivateKey(context, private_key);
  EVP_PKEY_free(private_key);
  X509_free(x);
  BIO_free_all(key_bio);
  BIO_free_all(certificate_bio);
}

}  // namespace

RawClient::RawClient(std::uint16_t port, const std::string& trusted, const std::string& host,
                     const std::string& certificate, const std::string& key) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{kPatience, 0};
  setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (!connected_ || trusted.empty()) return;

  context_ = SSL_CTX_new(TLS_client_method());
  BIO* bio = BIO_new_mem_buf(trusted.data(), static_cast<int>(trusted.size()));
  X509* authority = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context_), authority);
  X509_free(authority);
  BIO_free_all(bio);
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
  if (!certificate.empty()) show(context_, certificate, key);
  ssl_ = SSL_new(context_);
  SSL_set1_host(ssl_, host.c_str());
  SSL_set_fd(ssl_, fd_);
  connected_ = SSL_connect(ssl_) == 1;
}

RawClient::~RawClient() {
  if (ssl_ != nullptr) SSL_free(ssl_);
  if (context_ != nullptr) SSL_CTX_free(context_);
  if (fd_ >= 0) close(fd_);
}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const long sent = ssl_ != nullptr ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                                      : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

long RawClient::receive(char* data, std::size_t size) {
  return ssl_ != nullptr ? SSL_read(ssl_, data, static_cast<int>(size)) : recv(fd_, data, size, 0);
}

std::string RawClient::read_response(bool head) {
  char chunk[4096];
  for (;;) {
    const auto header_end = buffer_.find("\r\n\r\n");
    if (header_end != std::string::npos) {
      const std::string_view header = std::string_view(buffer_).substr(0, header_end);
      const std::size_t whole = header_end + 4 + (head ? 0 : content_length(header, 0));
      if (buffer_.size() >= whole) {
        std::string response = buffer_.substr(0, whole);
        buffer_.erase(0, whole);
        return response;
      }
    }
    const long got = receive(chunk, sizeof chunk);
    if (got <= 0) return "";
    buffer_.append(chunk, static_cast<std::size_t>(got));
  }
}

std::string RawClient::read_exactly(std::size_t count) {
  char chunk[4096];
  while (buffer_.size() < count) {
    const long got = receive(chunk, sizeof chunk);
    if (got <= 0) break;
    buffer_.append(chunk, static_cast<std::size_t>(got));
  }
  std::string bytes = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return bytes;
}

bool RawClient::closed_by_server() {
  char chunk[4096];
  for (;;) {
    const long got = recv(fd_, chunk, sizeof chunk, 0);
    if (got == 0) return true;
    if (got < 0) return errno == ECONNRESET;
  }
}

void RawClient::end() { shutdown(fd_, SHUT_WR); }

std::string RawClient::peer_serial() const {
  X509* certificate = ssl_ == nullptr ? nullptr : SSL_get1_peer_certificate(ssl_);
  if (certificate == nullptr) return "";
  BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
  char* hex = BN_bn2hex(number);
  std::string out(hex);
  OPENSSL_free(hex);
  BN_free(number);
  X509_free(certificate);
  return out;
}

int status_of(std::string_view response) {
  int status = 0;
  if (response.starts_with("HTTP/1.1 ")) std::from_chars(response.data() + 9, response.data() + 12, status);
  return status;
}

std::string body_of(std::string_view response) {
  const auto end = response.find("\r\n\r\n");
  return end == std::string_view::npos ? "" : std::string(response.substr(end + 4));
}

}  // namespace tamp::net::testing
