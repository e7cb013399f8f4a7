// A small HTTPS server for tests of the transport: one thread for each connection, a handler that writes raw bytes, so that
// a test can cut, stall and close wherever it likes. And an authority that issues certificates for it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "net/threads.h"

namespace tamp::net::testing {

template <auto free>
struct OpensslDeleter {
  template <typename T>
  void operator()(T* thing) const {
    free(thing);
  }
};
using PrivateKey = std::unique_ptr<EVP_PKEY, OpensslDeleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, OpensslDeleter<X509_free>>;

template <typename F>
std::string to_pem(F write) {
  BIO* memory = BIO_new(BIO_s_mem());
  write(memory);
  char* data = nullptr;
  const long size = BIO_get_mem_data(memory, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(memory);
  return text;
}

struct Identity {
  PrivateKey key;
  Certificate certificate;
  std::string certificate_pem() const {
    return to_pem([&](BIO* out) { PEM_write_bio_X509(out, certificate.get()); });
  }
  std::string key_pem() const {
    return to_pem(
        [&](BIO* out) { PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
  }
};

// `alternative` as OpenSSL writes it: "IP:127.0.0.1,DNS:kubernetes". Signed by `issuer`, by itself if there is none.
inline Identity make_identity(const std::string& name, const std::string& alternative,
                              const Identity* issuer) {
  static long serial = 1;
  Identity identity{PrivateKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")), Certificate(X509_new())};
  X509* certificate = identity.certificate.get();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, identity.key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  const Identity& signer = issuer != nullptr ? *issuer : identity;
  X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate.get()));
  const auto extend = [&](int nid, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, signer.certificate.get(), certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  };
  if (issuer == nullptr) extend(NID_basic_constraints, "critical,CA:TRUE");
  if (!alternative.empty()) extend(NID_subject_alt_name, alternative);
  X509_sign(certificate, signer.key.get(), EVP_sha256());
  return identity;
}

struct Received {
  std::string method, target;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string client;       // common name of its certificate
  std::string server_name;  // of the TLS handshake
};

class Connection {
 public:
  Connection(int fd, SSL* ssl) : fd_(fd), ssl_(ssl) {}

  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const int put =
          SSL_write(ssl_, bytes.data(), static_cast<int>(std::min<std::size_t>(bytes.size(), 16000)));
      if (put <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
  }
  bool chunk(std::string_view bytes) {
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    return write(std::string(size).append(bytes).append("\r\n"));
  }
  // A whole answer.
  bool answer(int status, std::string_view body, std::string_view headers = "") {
    return write("HTTP/1.1 " + std::to_string(status) + " Because\r\nContent-Length: " +
                 std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n" + std::string(body));
  }
  // Is there no room for more within this time?
  bool stalled(int ms) {
    pollfd waiting{fd_, POLLOUT, 0};
    return ::poll(&waiting, 1, ms) == 0;
  }
  // Until the other side closes, or the server stops.
  void wait_until_closed() {
    char byte = 0;
    while (SSL_read(ssl_, &byte, 1) > 0) {
    }
  }
  bool read(std::string& into) {
    char buffer[4096];
    const int got = SSL_read(ssl_, buffer, sizeof buffer);
    if (got <= 0) return false;
    into.append(buffer, static_cast<std::size_t>(got));
    return true;
  }

 private:
  int fd_;
  SSL* ssl_;
};

inline sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}
// A listening socket on a free port, which is stored.
inline int listen_on_loopback(int& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener, 64) != 0)
    std::abort();
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return listener;
}
inline int connect_to_loopback(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::abort();
  return fd;
}

class HttpsServer {
 public:
  // Called on the connection's thread for each request. False closes the connection.
  using Handler = std::function<bool(Connection&, const Received&)>;

  HttpsServer(const Identity& identity, Handler handler, const Identity* client_authority = nullptr)
      : handler_(std::move(handler)), context_(SSL_CTX_new(TLS_server_method())) {
    SSL_CTX_use_certificate(context_.get(), identity.certificate.get());
    SSL_CTX_use_PrivateKey(context_.get(), identity.key.get());
    if (client_authority != nullptr) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), client_authority->certificate.get());
      SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    }
    listener_ = listen_on_loopback(port_);
    acceptor_ = start_quiet_thread([this] { accept_all(); });
  }
  ~HttpsServer() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    {
      const std::lock_guard lock(mutex_);
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : connections_) thread.join();
  }

  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }
  int accepted() {
    const std::lock_guard lock(mutex_);
    return accepted_;
  }
  std::size_t open_connections() {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }
  std::vector<Received> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void accept_all() {
    for (;;) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const std::lock_guard lock(mutex_);
      ++accepted_;
      open_.push_back(fd);
      connections_.push_back(start_quiet_thread([this, fd] { serve(fd); }));
    }
  }

  void serve(int fd) {
    SSL* ssl = SSL_new(context_.get());
    SSL_set_fd(ssl, fd);
    if (SSL_accept(ssl) == 1) {
      Connection connection(fd, ssl);
      std::string buffer;
      while (serve_one(connection, buffer, ssl)) {
      }
    }
    const std::lock_guard lock(mutex_);
    SSL_free(ssl);
    std::erase(open_, fd);
    ::close(fd);
  }

  bool serve_one(Connection& connection, std::string& buffer, SSL* ssl) {
    std::size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
      if (!connection.read(buffer)) return false;
    Received received = parse(buffer.substr(0, end + 2));
    buffer.erase(0, end + 4);
    const auto length = received.headers.find("content-length");
    const std::size_t size = length == received.headers.end() ? 0 : std::stoul(length->second);
    while (buffer.size() < size)
      if (!connection.read(buffer)) return false;
    received.body = buffer.substr(0, size);
    buffer.erase(0, size);
    if (const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name)) received.server_name = name;
    if (const Certificate peer{SSL_get1_peer_certificate(ssl)}) {
      char name[64] = {};
      X509_NAME_get_text_by_NID(X509_get_subject_name(peer.get()), NID_commonName, name, sizeof name);
      received.client = name;
    }
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(received);
    }
    return handler_(connection, received);
  }

  static Received parse(const std::string& head) {
    Received received;
    std::size_t begin = 0, end = 0;
    while ((end = head.find("\r\n", begin)) != std::string::npos) {
      const std::string line = head.substr(begin, end - begin);
      if (begin == 0) {
        const auto first = line.find(' '), second = line.rfind(' ');
        received.method = line.substr(0, first);
        received.target = line.substr(first + 1, second - first - 1);
      } else if (const auto colon = line.find(':'); colon != std::string::npos) {
        std::string name = line.substr(0, colon);
        for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        received.headers[name] = line.substr(line.find_first_not_of(' ', colon + 1));
      }
      begin = end + 2;
    }
    return received;
  }

  Handler handler_;
  std::unique_ptr<SSL_CTX, OpensslDeleter<SSL_CTX_free>> context_;
  int listener_ = -1;
  int port_ = 0;
  std::thread acceptor_;
  std::vector<std::thread> connections_;  // acceptor's thread, then the destructor
  std::mutex mutex_;                      // guards what follows
  std::vector<int> open_;
  std::vector<Received> requests_;
  int accepted_ = 0;
};

}  // namespace tamp::net::testing
