// An HTTP/1.1 server for what a cluster asks of the controller: metrics, health, admission reviews, later the dashboard.
// It may be spoken to by anybody, so everything about a request is bounded: its size, its time, and how many there are.
// Boost.Beast stays in http_server.cc.
//
// Limits, and what a client sees: a header above its limit 431, a body above its limit 413, what is not HTTP 400, a handler
// that takes too long 503; a client that is too slow, or one connection too many, is cut off. Streams (http_stream.h) end when
// their client leaves or the server stops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "net/http_stream.h"

namespace tamp::net {

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // "/readyz": the target up to '?', as sent, not unescaped
  std::string query;   // "verbose=1": what follows '?'
  // Headers; empty when absent.
  std::string authorization, content_type, accept, cookie, origin, if_none_match, last_event_id, user_agent;
  std::string host = {}, accept_encoding = {};
  std::vector<std::pair<std::string, std::string>> others =
      {};  // headers that HTTP itself does not know, in lower case
  std::string body;
  std::string peer;  // "10.0.3.13:51234"
  bool tls = false;
  // The common name of the certificate that the client has shown, signed by HttpOptions::client_authority; none without one.
  std::optional<std::string> certified_name = {};
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  // besides length, type and connection
  // Instead of `body`: what is written to it. The connection ends with it.
  std::optional<HttpStream> stream = {};
  // Finishes the stream, however busy it is. None: it goes on until the client leaves.
  std::optional<Duration> stream_for = {};
  // Ends the connection: whoever asks again comes anew, and perhaps to another server.
  bool close = false;
};

// Gives the answer to one request: now or later, on any thread. The first call counts, further ones and those after the
// server has gone do nothing. If every copy is dropped without a call, the client gets a 500.
using Responder = std::function<void(HttpResponse)>;
// Runs on a thread of the server, several at once: must be thread-safe and must not block for long.
using HttpHandler = std::function<void(HttpRequest, Responder)>;

// PEM texts. The chain starts with the server's own certificate.
struct TlsIdentity {
  std::string certificate_chain;
  std::string private_key;
};

struct HttpOptions {
  std::string address = "127.0.0.1";  // an IP address, not a name; "::" is every interface
  std::uint16_t port = 0;             // 0: any that is free, see HttpServer::port()
  std::optional<TlsIdentity> tls;     // none: plain HTTP
  // PEM: clients may show a certificate that one of these has signed (mutual TLS). One that shows another is cut off; one that
  // shows none is let in, and its requests have no certified_name.
  std::string client_authority;
  // Plain HTTP on anything but loopback is refused unless this says that it is meant. Only for ports that give nothing
  // away and change nothing (metrics, health), where scrapers and kubelets expect it.
  bool plain_ok = false;
  std::size_t max_body_bytes = std::size_t{4} << 20;
  std::size_t max_header_bytes = std::size_t{16} << 10;
  std::size_t max_connections = 256;
  Duration read_timeout =
      Duration::seconds(10);  // a whole request, from its first byte; also the TLS handshake
  Duration write_timeout = Duration::seconds(10);   // a whole response, or a piece of a stream
  Duration idle_timeout = Duration::seconds(90);    // between two requests on a connection
  Duration handle_timeout = Duration::seconds(30);  // until the handler has answered
  int threads = 2;
};

class HttpServer {
 public:
  // Listens and serves when it returns.
  static Result<std::unique_ptr<HttpServer>> start(HttpOptions options, HttpHandler handler);
  ~HttpServer();  // stop() without patience
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;

  // For connections from now on; those that are open keep theirs. An identity that does not hold together is refused and
  // the old one stays. Thread-safe. REQUIRES: options.tls was set.
  Status replace_identity(const TlsIdentity& identity);

  // Accepts nothing more, closes what is idle, lets what is under way finish for as long as `grace`, then cuts it off.
  // Returns when no thread of the server runs any more. May be called again. REQUIRES: not on a thread of the server.
  void stop(Duration grace);

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tamp::net
