// A client that says exactly what a test wants it to say, byte by byte, over a raw socket with or without TLS.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;
struct ssl_ctx_st;

namespace tamp::net::testing {

class RawClient {
 public:
  // Connects to 127.0.0.1. With `trusted` (a CA certificate, PEM) it speaks TLS and checks the server's certificate for
  // `host`. With `certificate` and `key` (PEM) it shows that certificate.
  explicit RawClient(std::uint16_t port, const std::string& trusted = "",
                     const std::string& host = "localhost", const std::string& certificate = "",
                     const std::string& key = "");
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }
  bool send(std::string_view bytes);
  // One response with its body: by Content-Length, or to the end if there is none. Empty if the server closed before a
  // whole header came, or nothing came for 10 seconds.
  std::string read_response(bool head = false);
  // The next bytes, whatever they are; fewer if the server closes before or nothing comes for 10 seconds.
  std::string read_exactly(std::size_t count);
  // True if the server closes the connection within 10 seconds; what comes before is thrown away.
  bool closed_by_server();
  // No more from us.
  void end();
  // Of the server's certificate, in hex.
  std::string peer_serial() const;

 private:
  long receive(char* data, std::size_t size);

  int fd_ = -1;
  ssl_ctx_st* context_ = nullptr;
  ssl_st* ssl_ = nullptr;
  bool connected_ = false;
  std::string buffer_;
};

// "HTTP/1.1 200 OK…" → 200; 0 for nothing.
int status_of(std::string_view response);
std::string body_of(std::string_view response);

}  // namespace tamp::net::testing
