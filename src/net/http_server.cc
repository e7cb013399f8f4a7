#include "net/http_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <type_traits>

#include "core/ascii.h"

namespace tamp::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
using PlainStream = beast::tcp_stream;
using TlsStream = beast::ssl_stream<beast::tcp_stream>;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
// After a refusal: how long and how much is read and thrown away, so that the client gets to see the answer before the
// connection is reset under it.
constexpr auto kLinger = std::chrono::seconds(2);
constexpr std::size_t kLingerBytes = std::size_t{8} << 20;
// For the other side's close_notify at the end of a TLS connection.
constexpr auto kGoodbye = std::chrono::milliseconds(500);
constexpr std::size_t kReadAhead = 8192;
// When the process is out of descriptors, accepting fails until one is free.
constexpr auto kAcceptPause = std::chrono::milliseconds(100);

std::chrono::nanoseconds span(Duration d) { return std::chrono::nanoseconds(d.ns); }

// Keeps answers that come late from reaching a server that has gone.
struct Gate {
  std::mutex mutex;
  bool open = true;
};

// The connections that are open, and how to make an idle one go. Outlives the io_context.
class Guests {
 public:
  explicit Guests(std::size_t most) : most_(most) {}

  // 0: there are too many, or the house is closing.
  std::uint64_t enter() {
    const std::lock_guard lock(mutex_);
    if (closing_ || leave_.size() >= most_) return 0;
    leave_.emplace(++last_, nullptr);
    return last_;
  }
  void set_leave(std::uint64_t guest, std::function<void()> leave) {
    const std::lock_guard lock(mutex_);
    leave_[guest] = std::move(leave);
  }
  void left(std::uint64_t guest) {
    const std::lock_guard lock(mutex_);
    leave_.erase(guest);
    if (leave_.empty()) empty_.notify_all();
  }
  bool closing() const {
    const std::lock_guard lock(mutex_);
    return closing_;
  }
  // Asks everybody to leave; those that are busy do so when they have finished.
  void close() {
    std::vector<std::function<void()>> leave;
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
      for (const auto& [guest, action] : leave_)
        if (action) leave.push_back(action);
    }
    for (const auto& action : leave) action();
  }
  void wait_until_empty(std::chrono::nanoseconds most) {
    std::unique_lock lock(mutex_);
    empty_.wait_for(lock, most, [&] { return leave_.empty(); });
  }

 private:
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable empty_;
  bool closing_ = false;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::function<void()>> leave_;
};

// What all connections of a server share.
struct House {
  explicit House(HttpOptions given, HttpHandler answer)
      : options(std::move(given)), handler(std::move(answer)), guests(options.max_connections) {}

  const HttpOptions options;
  const HttpHandler handler;
  const std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  Guests guests;
};

bool is_header_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

int status_of(error_code ec) {
  if (ec == http::error::body_limit) return 413;
  if (ec == http::error::header_limit) return 431;
  return 400;
}

// Of a client whose certificate the handshake has checked.
std::optional<std::string> certified_name(SSL* tls) {
  const X509* certificate = SSL_get0_peer_certificate(tls);
  if (certificate == nullptr || SSL_get_verify_result(tls) != X509_V_OK) return std::nullopt;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return "";
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
  if (size < 0) return "";
  std::string name(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  OPENSSL_free(text);
  return name;
}

HttpRequest to_request(http::request<http::string_body>&& in) {
  const auto header = [&](auto name) { return std::string(in[name]); };
  HttpRequest out;
  out.method = in.method_string();
  const std::string_view target(in.target().data(), in.target().size());
  const auto mark = target.find('?');
  out.path = target.substr(0, mark);
  if (mark != std::string_view::npos) out.query = target.substr(mark + 1);
  out.authorization = header(http::field::authorization);
  out.content_type = header(http::field::content_type);
  out.accept = header(http::field::accept);
  out.cookie = header(http::field::cookie);
  out.origin = header(http::field::origin);
  out.if_none_match = header(http::field::if_none_match);
  out.last_event_id = header("Last-Event-ID");
  out.user_agent = header(http::field::user_agent);
  out.host = header(http::field::host);
  out.accept_encoding = header(http::field::accept_encoding);
  for (const auto& field : in) {
    if (field.name() != http::field::unknown) continue;
    out.others.emplace_back(lower(std::string_view(field.name_string())), std::string(field.value()));
  }
  out.body = std::move(in.body());
  return out;
}

// Status and headers of a response, without those that say how its body comes.
template <typename Body>
http::response<Body> header_of(const HttpResponse& in, bool keep_alive) {
  http::response<Body> out;
  out.version(11);
  out.result(static_cast<unsigned>(in.status));
  if (!in.content_type.empty() && is_header_text(in.content_type))
    out.set(http::field::content_type, in.content_type);
  for (const auto& [name, value] : in.headers)
    if (is_header_text(name) && is_header_text(value)) out.insert(name, value);
  out.keep_alive(keep_alive);
  return out;
}

http::response<http::string_body> to_response(HttpResponse in, bool head, bool keep_alive) {
  auto out = header_of<http::string_body>(in, keep_alive);
  // These have no body, and say nothing of its length either.
  if (in.status != 204 && in.status != 304) {
    out.content_length(in.body.size());
    if (!head) out.body() = std::move(in.body);
  }
  return out;
}

// One client: requests one after another, each read whole, handed to the handler and answered. Lives as long as an
// operation of it is under way; all of them run on its strand.
template <typename Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(House& house, std::uint64_t guest, Stream stream, std::string peer)
      : house_(house),
        guest_(guest),
        stream_(std::move(stream)),
        patience_(stream_.get_executor()),
        peer_(std::move(peer)) {}
  ~Connection() {
    if (flow_) flow_->stream.close();
    house_.guests.left(guest_);
  }

  void start() {
    auto self = this->shared_from_this();
    // Called by stop() on a thread that is not the server's, while the io_context lives.
    house_.guests.set_leave(guest_, [weak = this->weak_from_this()] {
      if (auto c = weak.lock()) {
        auto executor = c->executor();
        asio::post(executor, [c = std::move(c)] { c->leave(); });
      }
    });
    asio::dispatch(stream_.get_executor(), [self] { self->greet(); });
  }

  // The answer to request number `request`; nothing if that has been answered already.
  void respond(std::uint64_t request, HttpResponse response) {
    if (request != request_ || !waiting_) {
      if (response.stream) response.stream->close();
      return;
    }
    waiting_ = false;
    patience_.cancel();
    if (response.stream) return begin_stream(std::move(response));
    const bool keep = keep_alive_ && !response.close && !house_.guests.closing();
    write(std::move(response), keep);
  }
  auto executor() { return stream_.get_executor(); }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;

  // Gives the answer once, and a 500 if it goes without having given one.
  class Reply {
   public:
    Reply(std::shared_ptr<Gate> gate, std::weak_ptr<Connection> connection, std::uint64_t request)
        : gate_(std::move(gate)), connection_(std::move(connection)), request_(request) {}
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;
    ~Reply() { give({500, "text/plain; charset=utf-8", "no answer\n"}); }

    void give(HttpResponse response) {
      if (given_.exchange(true)) return;
      const std::optional<HttpStream> stream = response.stream;
      if (!hand_over(std::move(response)) && stream) stream->close();
    }

   private:
    bool hand_over(HttpResponse response) {
      // Held to the end: behind an open gate the io_context lives.
      const std::lock_guard lock(gate_->mutex);
      if (!gate_->open) return false;
      auto c = connection_.lock();
      if (!c) return false;
      auto executor = c->executor();
      asio::post(executor, [c = std::move(c), request = request_, r = std::move(response)]() mutable {
        c->respond(request, std::move(r));
      });
      return true;
    }

    std::shared_ptr<Gate> gate_;
    std::weak_ptr<Connection> connection_;
    std::uint64_t request_;
    std::atomic<bool> given_ = false;
  };

  beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }
  void expire(Duration d) { lowest().expires_after(span(d)); }

  void greet() {
    if constexpr (kTls) {
      expire(house_.options.read_timeout);
      stream_.async_handshake(ssl::stream_base::server, [self = this->shared_from_this()](error_code ec) {
        if (!ec) self->await_request();
      });
    } else {
      await_request();
    }
  }

  void await_request() {
    if (house_.guests.closing()) return finish();
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(house_.options.max_header_bytes));
    parser_->body_limit(house_.options.max_body_bytes);
    if (buffer_.size() > 0) return read_header();
    // A new client has come to say something; one that has been answered may take its time.
    expire(request_ == 0 ? house_.options.read_timeout : house_.options.idle_timeout);
    idle_ = true;
    stream_.async_read_some(buffer_.prepare(kReadAhead),
                            [self = this->shared_from_this()](error_code ec, std::size_t bytes) {
                              self->idle_ = false;
                              if (ec) return self->finish();
                              self->buffer_.commit(bytes);
                              self->read_header();
                            });
  }

  void read_header() {
    expire(house_.options.read_timeout);  // holds until the body has been read
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](error_code ec, std::size_t) {
                              if (ec) return self->refuse(ec);
                              if (beast::iequals(self->parser_->get()[http::field::expect], "100-continue"))
                                return self->send_continue();
                              self->read_body();
                            });
  }

  void send_continue() {
    asio::async_write(stream_, asio::buffer(kContinue),
                      [self = this->shared_from_this()](error_code ec, std::size_t) {
                        if (!ec) self->read_body();
                      });
  }

  void read_body() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](error_code ec, std::size_t) {
                       if (ec) return self->refuse(ec);
                       self->handle();
                     });
  }

  void handle() {
    ++request_;
    head_ = parser_->get().method() == http::verb::head;
    keep_alive_ = parser_->get().keep_alive();
    HttpRequest request = to_request(parser_->release());
    request.peer = peer_;
    request.tls = kTls;
    if constexpr (kTls) request.certified_name = certified_name(stream_.native_handle());
    if (!request.path.starts_with('/'))
      return write({400, "text/plain; charset=utf-8", "bad target\n"}, false);

    waiting_ = true;
    patience_.expires_after(span(house_.options.handle_timeout));
    patience_.async_wait([self = this->shared_from_this(), request = request_](error_code ec) {
      if (!ec) self->respond(request, {503, "text/plain; charset=utf-8", "no answer in time\n"});
    });
    auto reply = std::make_shared<Reply>(house_.gate, this->weak_from_this(), request_);
    try {
      house_.handler(std::move(request),
                     [reply](HttpResponse response) { reply->give(std::move(response)); });
    } catch (...) {
      reply->give({500, "text/plain; charset=utf-8", "internal error\n"});
    }
  }

  void refuse(error_code ec) {
    // Gone, too slow, or stopped in the middle of a request: nobody to answer.
    if (ec.category() != error_code(http::error::bad_method).category() || ec == http::error::end_of_stream ||
        ec == http::error::partial_message)
      return finish();
    const int status = status_of(ec);
    head_ = false;
    refused_ = true;
    write({status, "text/plain; charset=utf-8",
           status == 413   ? "the body is too large\n"
           : status == 431 ? "the header is too large\n"
                           : "not a request\n"},
          false);
  }

  void write(HttpResponse response, bool keep_alive) {
    response_ = to_response(std::move(response), head_, keep_alive);
    expire(house_.options.write_timeout);
    http::async_write(stream_, response_,
                      [self = this->shared_from_this(), keep_alive](error_code ec, std::size_t) {
                        if (ec) return;
                        if (keep_alive) return self->await_request();
                        self->finish();
                      });
  }

  // The rest of the connection's life is the stream. The header goes out at once; what is written is sent piece by piece; a
  // read stands beside it that ends when the client leaves.
  void begin_stream(HttpResponse response) {
    flow_.emplace(*response.stream);
    flow_->header = header_of<http::empty_body>(response, false);
    flow_->header.chunked(true);
    flow_->serializer.emplace(flow_->header);
    if (response.stream_for) {
      patience_.expires_after(span(*response.stream_for));
      patience_.async_wait([weak = this->weak_from_this()](error_code ec) {
        if (auto self = weak.lock(); self && !ec) self->flow_->stream.finish();
      });
    }
    // May be called when the server has gone: behind an open gate the io_context lives.
    flow_->stream.attach([gate = house_.gate, weak = this->weak_from_this()] {
      const std::lock_guard lock(gate->mutex);
      if (!gate->open) return;
      if (auto c = weak.lock()) {
        auto executor = c->executor();
        asio::post(executor, [c = std::move(c)] { c->send_piece(); });
      }
    });
    lowest().expires_never();
    await_departure();
    expire(house_.options.write_timeout);  // of the write alone: a read is under way
    flow_->writing = true;
    http::async_write_header(
        stream_, *flow_->serializer,
        [self = this->shared_from_this()](error_code ec, std::size_t) { self->piece_sent(ec); });
    if (house_.guests.closing() || head_) flow_->stream.finish();
  }

  void await_departure() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kReadAhead),
                            [self = this->shared_from_this()](error_code ec, std::size_t) {
                              // What it still says to us during a stream is not listened to.
                              if (!ec && !self->flow_->ended) return self->await_departure();
                              if (ec) self->end_stream();
                            });
  }

  void send_piece() {
    if (flow_->writing || flow_->ended) return;
    HttpStream::Piece piece = flow_->stream.take();
    if (piece.cut) return end_stream();
    if (head_) piece.bytes.clear();
    if (piece.bytes.empty() && !piece.last) return;
    flow_->piece.clear();
    if (!piece.bytes.empty()) flow_->piece = fmt::format("{:x}\r\n{}\r\n", piece.bytes.size(), piece.bytes);
    if (piece.last && !head_) flow_->piece += "0\r\n\r\n";
    flow_->last = piece.last;
    flow_->writing = true;
    expire(house_.options.write_timeout);
    asio::async_write(
        stream_, asio::buffer(flow_->piece),
        [self = this->shared_from_this()](error_code ec, std::size_t) { self->piece_sent(ec); });
  }

  void piece_sent(error_code ec) {
    flow_->writing = false;
    if (ec || flow_->last) return end_stream(!ec);
    flow_->stream.sent();
    send_piece();
  }

  void end_stream(bool properly = false) {
    if (std::exchange(flow_->ended, true)) return;
    patience_.cancel();
    flow_->stream.close();
    error_code ignored;
    // The read that waits for the client to go must end before TLS can say goodbye; a FIN says it as well.
    if (properly) lowest().socket().shutdown(tcp::socket::shutdown_send, ignored);
    lowest().cancel();
  }

  // The server is closing: what is idle goes at once, streams end.
  void leave() {
    if (idle_) lowest().cancel();
    if (flow_) flow_->stream.finish();
  }

  void finish() {
    if constexpr (kTls) {
      lowest().expires_after(kGoodbye);
      stream_.async_shutdown([self = this->shared_from_this()](error_code) { self->part(); });
    } else {
      part();
    }
  }

  // Without more, the connection ends with its last operation.
  void part() {
    error_code ignored;
    lowest().socket().shutdown(tcp::socket::shutdown_send, ignored);
    if (!refused_) return;
    buffer_.clear();
    lowest().expires_after(kLinger);
    drain(0);
  }

  void drain(std::size_t drained) {
    if (drained > kLingerBytes) return;
    lowest().async_read_some(buffer_.prepare(kReadAhead),
                             [self = this->shared_from_this(), drained](error_code ec, std::size_t bytes) {
                               if (!ec) self->drain(drained + bytes);
                             });
  }

  // A streaming response.
  struct Flow {
    explicit Flow(HttpStream given) : stream(std::move(given)) {}
    HttpStream stream;
    http::response<http::empty_body> header;
    std::optional<http::response_serializer<http::empty_body>> serializer;
    std::string piece;  // being sent
    bool writing = false;
    bool last = false;  // it is the last one
    bool ended = false;
  };

  House& house_;
  const std::uint64_t guest_;
  Stream stream_;
  asio::steady_timer patience_;  // with the handler
  const std::string peer_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  std::optional<Flow> flow_;
  std::uint64_t request_ = 0;  // the number of the current one
  bool waiting_ = false;       // for the handler's answer
  bool idle_ = false;          // nothing of the next request has come
  bool refused_ = false;       // the client may be sending still
  bool head_ = false, keep_alive_ = false;
};

Result<std::shared_ptr<ssl::context>> make_context(const TlsIdentity& identity,
                                                   const std::string& client_authority) {
  error_code ec;
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3 |
                           ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1 | ssl::context::no_compression,
                       ec);
  // Otherwise OpenSSL asks on the terminal for the password of an encrypted key.
  if (!ec) context->set_password_callback([](std::size_t, ssl::context::password_purpose) { return ""; }, ec);
  if (ec) return Error{"TLS: " + ec.message()};
  context->use_certificate_chain(asio::buffer(identity.certificate_chain), ec);
  if (ec) return Error{"TLS certificate: " + ec.message()};
  context->use_private_key(asio::buffer(identity.private_key), ssl::context::pem, ec);
  if (ec) return Error{"TLS private key: " + ec.message()};
  if (SSL_CTX_check_private_key(context->native_handle()) != 1)
    return Error{"TLS: the private key does not belong to the certificate"};
  if (client_authority.empty()) return context;
  context->add_certificate_authority(asio::buffer(client_authority), ec);
  if (!ec) context->set_verify_mode(ssl::verify_peer, ec);
  if (ec) return Error{"TLS authority of clients: " + ec.message()};
  // Who comes back shows the certificate again.
  SSL_CTX_set_session_cache_mode(context->native_handle(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context->native_handle(), SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context->native_handle(), 0);
  return context;
}

std::string peer_of(const tcp::socket& socket) {
  error_code ec;
  const auto endpoint = socket.remote_endpoint(ec);
  if (ec) return "";
  const auto address = endpoint.address();
  return fmt::format(fmt::runtime(address.is_v6() ? "[{}]:{}" : "{}:{}"), address.to_string(),
                     endpoint.port());
}

}  // namespace

struct HttpServer::Impl {
  Impl(HttpOptions options, HttpHandler handler) : house(std::move(options), std::move(handler)) {}

  Status listen();
  void accept();
  void welcome(tcp::socket socket);
  void run();

  House house;
  std::mutex context_mutex;
  std::shared_ptr<ssl::context> context;  // null: plain
  std::optional<asio::io_context> io;     // destroyed by stop(), with every connection that is left
  std::optional<tcp::acceptor> acceptor;  // on a strand of its own
  std::optional<asio::steady_timer> pause;
  std::uint16_t port = 0;
  std::vector<std::thread> threads;
};

Status HttpServer::Impl::listen() {
  const HttpOptions& options = house.options;
  error_code ec;
  const auto address = asio::ip::make_address(options.address, ec);
  if (ec) return Error{fmt::format("\"{}\" is not an IP address", options.address)};
  if (!options.tls && !options.plain_ok && !address.is_loopback())
    return Error{fmt::format("refusing to listen on {} without TLS", options.address)};
  if (!options.tls && !options.client_authority.empty())
    return Error{"an authority of clients is of no use without TLS"};
  if (options.tls) {
    TAMP_TRY(context, make_context(*options.tls, options.client_authority));
  }
  io.emplace(std::max(1, options.threads));
  acceptor.emplace(asio::make_strand(*io));
  pause.emplace(acceptor->get_executor());
  const tcp::endpoint endpoint(address, options.port);
  acceptor->open(endpoint.protocol(), ec);
  if (!ec) acceptor->set_option(asio::socket_base::reuse_address(true), ec);
  if (!ec && address.is_v6()) acceptor->set_option(asio::ip::v6_only(false), ec);
  if (!ec) acceptor->bind(endpoint, ec);
  if (!ec) acceptor->listen(asio::socket_base::max_listen_connections, ec);
  if (!ec) port = acceptor->local_endpoint(ec).port();
  if (ec)
    return Error{fmt::format("listening on {} port {}: {}", options.address, options.port, ec.message())};
  return success();
}

void HttpServer::Impl::accept() {
  acceptor->async_accept(asio::make_strand(*io), [this](error_code ec, tcp::socket socket) {
    if (!acceptor->is_open()) return;
    if (!ec) {
      welcome(std::move(socket));
      return accept();
    }
    pause->expires_after(kAcceptPause);
    pause->async_wait([this](error_code canceled) {
      if (!canceled && acceptor->is_open()) accept();
    });
  });
}

void HttpServer::Impl::welcome(tcp::socket socket) {
  const std::uint64_t guest = house.guests.enter();
  if (guest == 0) return;
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  std::string peer = peer_of(socket);
  std::shared_ptr<ssl::context> tls;
  {
    const std::lock_guard lock(context_mutex);
    tls = context;
  }
  // A connection keeps the identity that it began with: OpenSSL counts who uses a context.
  if (tls)
    std::make_shared<Connection<TlsStream>>(house, guest, TlsStream(PlainStream(std::move(socket)), *tls),
                                            std::move(peer))
        ->start();
  else
    std::make_shared<Connection<PlainStream>>(house, guest, PlainStream(std::move(socket)), std::move(peer))
        ->start();
}

void HttpServer::Impl::run() {
  for (;;) {
    try {
      io->run();
      return;
    } catch (...) {
      // Out of memory, or the like: it costs one connection its life.
    }
  }
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() { stop(Duration{}); }

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpOptions options, HttpHandler handler) {
  auto impl = std::make_unique<Impl>(std::move(options), std::move(handler));
  TAMP_CHECK(impl->listen());
  impl->accept();
  for (int i = 0; i < std::max(1, impl->house.options.threads); ++i)
    impl->threads.emplace_back([&server = *impl] { server.run(); });
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const { return impl_->port; }

Status HttpServer::replace_identity(const TlsIdentity& identity) {
  assert(impl_->house.options.tls);
  TAMP_TRY(auto context, make_context(identity, impl_->house.options.client_authority));
  const std::lock_guard lock(impl_->context_mutex);
  impl_->context = std::move(context);
  return success();
}

void HttpServer::stop(Duration grace) {
  if (!impl_->io) return;
  asio::post(impl_->acceptor->get_executor(), [this] {
    error_code ignored;
    impl_->acceptor->close(ignored);
    impl_->pause->cancel();
  });
  impl_->house.guests.close();
  impl_->house.guests.wait_until_empty(span(grace));
  {
    const std::lock_guard lock(impl_->house.gate->mutex);
    impl_->house.gate->open = false;
  }
  impl_->io->stop();
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
  impl_->pause.reset();
  impl_->acceptor.reset();
  impl_->io.reset();
}

}  // namespace tamp::net
