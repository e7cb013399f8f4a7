#include "net/curl_transport.h"

#include <gtest/gtest.h>

#include <future>

#include "net/delivery.h"
#include "net/https_server_testing.h"

namespace tamp::net {
namespace {

using testing::Connection;
using testing::HttpsServer;
using testing::Identity;
using testing::make_identity;
using testing::Received;

// Long enough for a handshake on a busy machine.
constexpr Duration kSoon = Duration::seconds(1);

// Made once: keys take a while under a sanitizer.
const Identity& authority() {
  static const Identity identity = make_identity("authority", "", nullptr);
  return identity;
}
const Identity& server_identity() {
  static const Identity identity =
      make_identity("server", "IP:127.0.0.1,DNS:kubernetes.default", &authority());
  return identity;
}

bool ok(Connection& connection, const Received&) { return connection.answer(200, "{}"); }

struct CurlTransportTest : ::testing::Test {
  static void SetUpTestSuite() {
    for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
      ::unsetenv(name);
  }

  void serve(HttpsServer::Handler handler, const Identity* client_authority = nullptr) {
    server = std::make_unique<HttpsServer>(server_identity(), std::move(handler), client_authority);
    access.server = server->url();
    access.certificate_authority = authority().certificate_pem();
  }
  CurlTransport& transport() {
    if (!wire) wire = std::make_unique<CurlTransport>(loop, access);
    return *wire;
  }
  // Fails rather than hangs.
  void run_until(const std::function<bool()>& enough) {
    bool late = false;
    const Pending guard = loop.after(Duration::seconds(60), [&] { late = true; });
    loop.run_until([&] { return late || enough(); });
    ASSERT_FALSE(late);
  }
  Exchange send(Request request) {
    std::optional<Exchange> exchange;
    const Pending pending =
        transport().send(std::move(request), [&](Exchange e) { exchange = std::move(e); });
    EXPECT_FALSE(exchange);
    run_until([&] { return exchange.has_value(); });
    return exchange ? std::move(*exchange) : Exchange();
  }
  static Request get(std::string target, Duration timeout = Duration::seconds(30)) {
    Request request;
    request.target = std::move(target);
    request.timeout = timeout;
    return request;
  }
  static Request post(std::string target) {
    Request request = get(std::move(target));
    request.method = Method::Post;
    request.content_type = "application/json";
    request.body = R"({"a":1})";
    return request;
  }

  // A stream with all that came of it.
  struct Stream {
    std::string events;  // "o" opened, "d" data (once, however many), "e" ended
    std::string data;
    std::optional<Response> refusal;
    std::optional<Failure> failure;
    Pending pending;
    bool ended() const { return events.ends_with('e'); }
    void note(char event) {
      if (!events.ends_with(event) || event != 'd') events += event;
    }
  };
  void open(Stream& stream, Request request) {
    StreamSink sink;
    sink.opened = [&stream] { stream.note('o'); };
    sink.data = [&stream](std::string_view bytes) {
      stream.note('d');
      stream.data += bytes;
    };
    sink.ended = [&stream](std::optional<Response> refusal, std::optional<Failure> failure) {
      stream.note('e');
      stream.refusal = std::move(refusal);
      stream.failure = std::move(failure);
    };
    stream.pending = transport().stream(std::move(request), std::move(sink));
  }

  RealLoop loop{1};
  Access access;
  std::unique_ptr<HttpsServer> server;
  std::unique_ptr<CurlTransport> wire;  // destroyed before the server and the loop
};

constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST_F(CurlTransportTest, ARequestIsSentAsItIsAndTheResponseComesBackWhole) {
  serve([](Connection& connection, const Received&) {
    return connection.answer(409, R"({"kind":"Status"})",
                             "Retry-After: 7\r\nDate: Sun, 15 Nov 2026 00:00:07 GMT\r\n");
  });
  access.credentials.token = "abc";
  const Exchange exchange = send(post("/api/v1/pods?limit=500&continue=a%2Fb"));
  ASSERT_TRUE(exchange.response);
  EXPECT_EQ(exchange.response->status, 409);
  EXPECT_EQ(exchange.response->body, R"({"kind":"Status"})");
  EXPECT_EQ(exchange.response->retry_after, Duration::seconds(7));
  EXPECT_EQ(exchange.response->date, *parse_rfc3339("2026-11-15T00:00:07Z"));
  const auto requests = server->requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].target, "/api/v1/pods?limit=500&continue=a%2Fb");
  EXPECT_EQ(requests[0].body, R"({"a":1})");
  EXPECT_EQ(requests[0].headers.at("content-type"), "application/json");
  EXPECT_EQ(requests[0].headers.at("accept"), "application/json");
  EXPECT_EQ(requests[0].headers.at("authorization"), "Bearer abc");
  EXPECT_TRUE(requests[0].headers.at("user-agent").starts_with("tamp/"));
  EXPECT_FALSE(requests[0].headers.contains("expect"));
}

TEST_F(CurlTransportTest, EveryMethodHasItsName) {
  serve(ok);
  Request request = get("/x");
  for (const Method method : {Method::Get, Method::Put, Method::Patch, Method::Delete}) {
    request.method = method;
    request.body = method == Method::Get ? "" : "{}";
    EXPECT_TRUE(send(request).response);
  }
  request.body = "";
  EXPECT_TRUE(send(request).response);
  request.method = Method::Post;
  EXPECT_TRUE(send(request).response);
  std::string methods, bodies;
  for (const Received& received : server->requests()) {
    methods += received.method + " ";
    bodies += received.body;
  }
  EXPECT_EQ(methods, "GET PUT PATCH DELETE DELETE POST ");
  EXPECT_EQ(bodies, "{}{}{}");
}

TEST_F(CurlTransportTest, UserAndPasswordAreSentAsBasic) {
  serve(ok);
  access.credentials.user = "Aladdin";
  access.credentials.password = "open sesame";
  EXPECT_TRUE(send(get("/")).response);
  // The example of RFC 7617.
  EXPECT_EQ(server->requests()[0].headers.at("authorization"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_F(CurlTransportTest, APathInTheServersAddressIsKept) {
  serve(ok);
  access.server += "/k8s/clusters/c-1";
  EXPECT_TRUE(send(get("/api")).response);
  EXPECT_EQ(server->requests()[0].target, "/k8s/clusters/c-1/api");
}

TEST_F(CurlTransportTest, RetryAfterMayBeADate) {
  std::string value = "Sun, 06 Nov 1994 08:49:37 GMT";
  serve([&](Connection& connection, const Received&) {
    return connection.answer(503, "", "retry-AFTER:  " + value + "\r\n");
  });
  EXPECT_EQ(send(get("/")).response->retry_after, Duration{});  // long ago
  value = "Fri, 31 Dec 2199 23:59:59 GMT";
  EXPECT_GT(send(get("/")).response->retry_after, Duration::hours(24 * 365));
  value = "soon";
  EXPECT_EQ(send(get("/")).response->retry_after, std::nullopt);
  value = "-5";
  EXPECT_EQ(send(get("/")).response->retry_after, std::nullopt);
}

TEST_F(CurlTransportTest, ACompressedResponseIsUnpacked) {
  // gzip of {"kind":"PodList"}
  constexpr unsigned char kPacked[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                       0xab, 0x56, 0xca, 0xce, 0xcc, 0x4b, 0x51, 0xb2, 0x52, 0x0a,
                                       0xc8, 0x4f, 0xf1, 0xc9, 0x2c, 0x2e, 0x51, 0xaa, 0x05, 0x00,
                                       0x70, 0x51, 0x2a, 0x49, 0x12, 0x00, 0x00, 0x00};
  serve([&](Connection& connection, const Received& received) {
    EXPECT_EQ(received.headers.at("accept-encoding"), "gzip");
    return connection.answer(200, {reinterpret_cast<const char*>(kPacked), sizeof kPacked},
                             "Content-Encoding: gzip\r\n");
  });
  EXPECT_EQ(send(get("/")).response->body, R"({"kind":"PodList"})");
}

TEST_F(CurlTransportTest, AConnectionIsUsedAgain) {
  serve(ok);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(send(i % 2 == 0 ? get("/") : post("/")).response);
  EXPECT_EQ(server->accepted(), 1);
  EXPECT_EQ(server->requests().size(), 5u);
}

TEST_F(CurlTransportTest, OpenStreamsDoNotHoldUpRequests) {
  serve([](Connection& connection, const Received& received) {
    if (received.target == "/") return connection.answer(200, "{}");
    connection.write(kChunked);
    connection.wait_until_closed();
    return false;
  });
  std::vector<Stream> streams(20);
  for (Stream& stream : streams) open(stream, get("/watch", Duration{}));
  run_until([&] {
    return std::all_of(streams.begin(), streams.end(), [](const Stream& s) { return s.events == "o"; });
  });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(send(get("/")).response);
  EXPECT_EQ(server->accepted(), 21);
}

TEST_F(CurlTransportTest, AStreamArrivesInOrderHoweverItIsCut) {
  std::string whole;
  for (int i = 0; i < 2000; ++i) whole += R"({"type":"ADDED","object":{"n":)" + std::to_string(i) + "}}\n";
  serve([&](Connection& connection, const Received&) {
    connection.write("HTTP/1.1 100 Continue\r\n\r\n");
    for (const char c : kChunked) connection.write({&c, 1});
    const std::size_t sizes[] = {1, 2, 3, 1777, 16384, 5};
    for (std::size_t at = 0, i = 0; at < whole.size(); ++i) {
      const std::size_t size = std::min(sizes[i % std::size(sizes)], whole.size() - at);
      connection.chunk({whole.data() + at, size});
      at += size;
    }
    return connection.chunk("");
  });
  Stream stream;
  open(stream, get("/watch"));
  run_until([&] { return stream.ended(); });
  EXPECT_EQ(stream.events, "ode");
  EXPECT_EQ(stream.data, whole);
  EXPECT_FALSE(stream.refusal);
  EXPECT_FALSE(stream.failure);
}

TEST_F(CurlTransportTest, AStreamThatIsRefusedIsNotOpened) {
  serve([](Connection& connection, const Received&) {
    return connection.answer(410, R"({"reason":"Expired"})", "Retry-After: 1\r\n");
  });
  Stream stream;
  open(stream, get("/watch"));
  run_until([&] { return stream.ended(); });
  EXPECT_EQ(stream.events, "e");
  ASSERT_TRUE(stream.refusal);
  EXPECT_EQ(stream.refusal->status, 410);
  EXPECT_EQ(stream.refusal->body, R"({"reason":"Expired"})");
  EXPECT_EQ(stream.refusal->retry_after, Duration::seconds(1));
  EXPECT_FALSE(stream.failure);
}

TEST_F(CurlTransportTest, AStreamThatFallsSilentEnds) {
  serve([](Connection& connection, const Received&) {
    connection.write(kChunked);
    connection.chunk("{}\n");
    connection.wait_until_closed();
    return false;
  });
  Stream stream;
  open(stream, get("/watch", kSoon));
  run_until([&] { return stream.ended(); });
  EXPECT_EQ(stream.events, "ode");
  ASSERT_TRUE(stream.failure);
  EXPECT_NE(stream.failure->message.find("nothing received for 1s"), std::string::npos);
}

TEST_F(CurlTransportTest, ARequestThatIsNotAnsweredInTimeMayHaveBeenCarriedOut) {
  serve([](Connection& connection, const Received&) {
    connection.wait_until_closed();
    return false;
  });
  const Exchange exchange = send(get("/", kSoon));
  EXPECT_FALSE(exchange.response);
  EXPECT_TRUE(exchange.failure.maybe_done);
  EXPECT_NE(exchange.failure.message.find("no answer within 1s"), std::string::npos);
}

// As after a freeze: its time is over before anybody has looked at it, and a connection is at hand.
TEST_F(CurlTransportTest, WhatIsTooLateIsNotSent) {
  serve(ok);
  EXPECT_TRUE(send(get("/")).response);
  Request late = post("/late");
  late.timeout = Duration::nanoseconds(1);
  const Exchange exchange = send(late);
  EXPECT_FALSE(exchange.response);
  EXPECT_FALSE(exchange.failure.maybe_done);
  EXPECT_TRUE(send(get("/")).response);
  EXPECT_EQ(server->requests().size(), 2u);
}

TEST_F(CurlTransportTest, AServerThatClosesInTheMiddleIsAFailure) {
  access.credentials.token = "s3cret";
  serve([](Connection& connection, const Received&) {
    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"kind\"");
    return false;
  });
  const Exchange exchange = send(post("/"));
  EXPECT_FALSE(exchange.response);
  EXPECT_TRUE(exchange.failure.maybe_done);
  EXPECT_EQ(exchange.failure.message.find("s3cret"), std::string::npos);
  Stream stream;
  open(stream, get("/watch"));
  run_until([&] { return stream.ended(); });
  EXPECT_EQ(stream.events, "ode");
  EXPECT_TRUE(stream.failure);
}

TEST_F(CurlTransportTest, AConnectionThatIsRefusedCarriedNothing) {
  serve(ok);
  server.reset();
  const Exchange exchange = send(post("/"));
  EXPECT_FALSE(exchange.response);
  EXPECT_FALSE(exchange.failure.maybe_done);
  EXPECT_NE(exchange.failure.message.find(access.server), std::string::npos);
}

TEST_F(CurlTransportTest, AServerOfAnotherAuthorityIsRefusedBeforeAnythingIsSent) {
  serve(ok);
  access.certificate_authority = make_identity("another", "", nullptr).certificate_pem();
  const Exchange exchange = send(get("/"));
  EXPECT_FALSE(exchange.response);
  EXPECT_FALSE(exchange.failure.maybe_done);
  EXPECT_NE(exchange.failure.message.find("certificate"), std::string::npos) << exchange.failure.message;
  EXPECT_TRUE(server->requests().empty());
}

TEST_F(CurlTransportTest, VerificationCanBeSwitchedOff) {
  serve(ok);
  access.certificate_authority.clear();
  access.insecure_skip_tls_verify = true;
  EXPECT_TRUE(send(get("/")).response);
}

TEST_F(CurlTransportTest, TheCertificateIsCheckedAgainstTheTlsServerName) {
  serve(ok);
  access.tls_server_name = "kubernetes.default";
  EXPECT_TRUE(send(get("/api?x=1")).response);
  const auto requests = server->requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].server_name, "kubernetes.default");
  EXPECT_EQ(requests[0].headers.at("host"), "127.0.0.1:" + std::to_string(server->port()));
  EXPECT_EQ(requests[0].target, "/api?x=1");
  wire.reset();
  access.tls_server_name = "another.name";
  const Exchange exchange = send(get("/"));
  EXPECT_FALSE(exchange.response);
  EXPECT_FALSE(exchange.failure.maybe_done);
}

// Takes one CONNECT, notes where to, and passes bytes to and fro until either side closes.
class TunnelProxy {
 public:
  explicit TunnelProxy(int target) : target_(target), listener_(testing::listen_on_loopback(port_)) {
    thread_ = start_quiet_thread([this] { serve(); });
  }
  ~TunnelProxy() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  std::string url() const { return "http://me:s3cret@127.0.0.1:" + std::to_string(port_); }
  std::string head() {
    const std::lock_guard lock(mutex_);
    return head_;
  }

 private:
  void serve() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    char buffer[16384];
    std::string head;
    while (!head.ends_with("\r\n\r\n") && ::read(client, buffer, 1) == 1) head += buffer[0];
    {
      const std::lock_guard lock(mutex_);
      head_ = head;
    }
    const int server = testing::connect_to_loopback(target_);
    (void)!::write(client, "HTTP/1.1 200 Connected\r\n\r\n", 26);
    const int ends[] = {client, server};
    for (bool open = true; open;) {
      pollfd waiting[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      ::poll(waiting, 2, -1);
      for (std::size_t i = 0; i < 2 && open; ++i) {
        if (waiting[i].revents == 0) continue;
        const ssize_t got = ::read(ends[i], buffer, sizeof buffer);
        open = got > 0 && ::write(ends[1 - i], buffer, static_cast<std::size_t>(got)) == got;
      }
    }
    ::close(server);
    ::close(client);
  }

  int target_;
  int port_ = 0;
  int listener_;
  std::mutex mutex_;
  std::string head_;  // guarded by mutex_
  std::thread thread_;
};

TEST_F(CurlTransportTest, AProxyIsAskedForATunnelAndSeesNoToken) {
  serve(ok);
  TunnelProxy proxy(server->port());
  access.proxy_url = proxy.url();
  access.credentials.token = "abc";
  EXPECT_TRUE(send(get("/")).response);
  EXPECT_TRUE(proxy.head().starts_with("CONNECT 127.0.0.1:" + std::to_string(server->port()) + " "));
  EXPECT_EQ(proxy.head().find("abc"), std::string::npos);
  EXPECT_EQ(server->requests()[0].headers.at("authorization"), "Bearer abc");
  wire.reset();  // ends the tunnel
}

TEST_F(CurlTransportTest, ThePasswordOfAProxyIsNotInAnError) {
  serve(ok);
  server.reset();
  access.proxy_url = "http://me:s3cret@127.0.0.1:1";
  const Exchange exchange = send(get("/"));
  EXPECT_FALSE(exchange.response);
  EXPECT_FALSE(exchange.failure.maybe_done);
  EXPECT_EQ(exchange.failure.message.find("s3cret"), std::string::npos) << exchange.failure.message;
}

TEST_F(CurlTransportTest, AClientCertificateIsPresented) {
  const Identity client = make_identity("me", "", &authority());
  serve(ok, &authority());
  access.credentials.certificate = client.certificate_pem();
  access.credentials.key = client.key_pem();
  EXPECT_TRUE(send(get("/")).response);
  EXPECT_EQ(server->requests()[0].client, "me");
  wire.reset();
  access.credentials = {};
  EXPECT_FALSE(send(get("/")).response);
}

// A source that issues "token-1", "token-2", …
struct Counter {
  std::atomic<int> asked = 0;
  std::optional<Duration> good_for;
  CredentialSource source() {
    return [this](std::stop_token) -> Result<Issued> {
      return Issued{{"token-" + std::to_string(++asked), "", "", "", ""}, good_for};
    };
  }
};

TEST_F(CurlTransportTest, AfterA401TheCredentialsAreRenewedOnce) {
  serve([](Connection& connection, const Received& received) {
    return connection.answer(received.headers.at("authorization") == "Bearer token-2" ? 200 : 401, "{}");
  });
  Counter counter;
  access.source = counter.source();
  EXPECT_EQ(send(post("/")).response->status, 200);
  EXPECT_EQ(send(get("/")).response->status, 200);
  EXPECT_EQ(counter.asked, 2);
  EXPECT_EQ(server->requests().size(), 3u);
  EXPECT_EQ(server->requests()[1].body, R"({"a":1})");
}

TEST_F(CurlTransportTest, AStreamIsRenewedLikewise) {
  serve([](Connection& connection, const Received& received) {
    if (received.headers.at("authorization") == "Bearer token-1") return connection.answer(401, "{}");
    connection.write(kChunked);
    connection.chunk("data");
    return connection.chunk("");
  });
  Counter counter;
  access.source = counter.source();
  Stream stream;
  open(stream, get("/watch"));
  run_until([&] { return stream.ended(); });
  EXPECT_EQ(stream.events, "ode");
  EXPECT_EQ(stream.data, "data");
}

TEST_F(CurlTransportTest, ASecond401IsTheAnswer) {
  serve([](Connection& connection, const Received&) { return connection.answer(401, "no"); });
  Counter counter;
  access.source = counter.source();
  const Exchange exchange = send(get("/"));
  ASSERT_TRUE(exchange.response);
  EXPECT_EQ(exchange.response->status, 401);
  EXPECT_EQ(exchange.response->body, "no");
  EXPECT_EQ(server->requests().size(), 2u);
}

TEST_F(CurlTransportTest, ThereIsNoSecondTryWithTheSameCredentials) {
  serve([](Connection& connection, const Received&) { return connection.answer(401, "no"); });
  int asked = 0;
  access.source = [&](std::stop_token) -> Result<Issued> {
    ++asked;
    return Issued{{"same", "", "", "", ""}, std::nullopt};
  };
  EXPECT_EQ(send(get("/")).response->body, "no");
  EXPECT_EQ(server->requests().size(), 1u);
  wire.reset();
  EXPECT_EQ(asked, 2);
  access.source = nullptr;
  EXPECT_EQ(send(get("/")).response->body, "no");
  EXPECT_EQ(server->requests().size(), 2u);
}

TEST_F(CurlTransportTest, RequestsThatWaitForCredentialsShareOneAnswer) {
  serve(ok);
  Counter counter;
  access.source = counter.source();
  int answered = 0;
  std::vector<Pending> pending;
  for (int i = 0; i < 8; ++i)
    pending.push_back(transport().send(get("/"), [&](Exchange e) { answered += e.response ? 1 : 0; }));
  run_until([&] { return answered == 8; });
  EXPECT_EQ(counter.asked, 1);
}

TEST_F(CurlTransportTest, CredentialsThatAreNoLongerGoodAreAskedForAgain) {
  serve(ok);
  Counter counter;
  counter.good_for = Duration{};
  access.source = counter.source();
  EXPECT_TRUE(send(get("/")).response);
  EXPECT_TRUE(send(get("/")).response);
  EXPECT_EQ(counter.asked, 2);
  EXPECT_EQ(server->requests()[1].headers.at("authorization"), "Bearer token-2");
}

TEST_F(CurlTransportTest, WithoutCredentialsNothingIsSent) {
  serve(ok);
  access.source = [](std::stop_token) -> Result<Issued> { return Error{"the plugin is gone"}; };
  const Exchange exchange = send(post("/"));
  EXPECT_FALSE(exchange.response);
  EXPECT_FALSE(exchange.failure.maybe_done);
  EXPECT_NE(exchange.failure.message.find("the plugin is gone"), std::string::npos);
  EXPECT_EQ(server->accepted(), 0);
}

TEST_F(CurlTransportTest, ASlowSourceIsCalledOffWithTheTransport) {
  serve(ok);
  std::promise<void> began;
  access.source = [&](std::stop_token stop) -> Result<Issued> {
    std::promise<void> stopped;
    const std::stop_callback callback(stop, [&] { stopped.set_value(); });
    began.set_value();
    stopped.get_future().wait();
    return Error{"called off"};
  };
  const Pending pending = transport().send(get("/"), [](Exchange) { ADD_FAILURE(); });
  began.get_future().wait();
  wire.reset();
  EXPECT_EQ(server->accepted(), 0);
}

// The first request makes a connection; the second one finds it closed after it was sent.
TEST_F(CurlTransportTest, WhatMayChangeSomethingIsNotSentAgainOnADeadConnection) {
  serve([](Connection& connection, const Received& received) {
    if (received.target == "/first") return connection.answer(200, "{}");
    return false;
  });
  EXPECT_TRUE(send(get("/first")).response);
  const Exchange exchange = send(post("/evict"));
  EXPECT_FALSE(exchange.response);
  EXPECT_TRUE(exchange.failure.maybe_done);
  EXPECT_EQ(server->requests().size(), 2u);
  EXPECT_TRUE(send(get("/first")).response);
  Request remove = get("/delete");
  remove.method = Method::Delete;
  EXPECT_TRUE(send(remove).failure.maybe_done);
  EXPECT_EQ(server->requests().size(), 4u);
}

TEST_F(CurlTransportTest, AHandleThatIsDroppedClosesTheConnectionAndIsNotAnswered) {
  std::promise<void> began, closed;
  serve([&](Connection& connection, const Received& received) {
    if (received.target == "/ok") return connection.answer(200, "{}");
    began.set_value();
    connection.wait_until_closed();
    closed.set_value();
    return false;
  });
  Pending pending = transport().send(get("/hang"), [](Exchange) { ADD_FAILURE(); });
  began.get_future().wait();
  pending.cancel();
  closed.get_future().wait();
  EXPECT_TRUE(send(get("/ok")).response);
}

TEST_F(CurlTransportTest, AStreamMayBeDroppedFromWithinItself) {
  std::promise<void> closed;
  serve([&](Connection& connection, const Received&) {
    connection.write(kChunked);
    while (connection.chunk(std::string(1000, 'x'))) {
    }
    closed.set_value();
    return false;
  });
  Pending pending;
  int pieces = 0;
  StreamSink sink;
  sink.data = [&, alive = std::make_shared<int>(7)](std::string_view) {
    pending.cancel();
    pieces += *alive == 7 ? 1 : 100;  // what the handler captured must outlive its call
  };
  sink.ended = [](auto, auto) { ADD_FAILURE(); };
  pending = transport().stream(get("/watch"), std::move(sink));
  run_until([&] { return pieces > 0; });
  closed.get_future().wait();
  EXPECT_EQ(pieces, 1);
}

TEST_F(CurlTransportTest, HandlesMayOutliveTheTransport) {
  std::promise<void> began;
  serve([&](Connection& connection, const Received&) {
    began.set_value();
    connection.wait_until_closed();
    return false;
  });
  Pending pending = transport().send(get("/"), [](Exchange) { ADD_FAILURE(); });
  began.get_future().wait();
  wire.reset();
  EXPECT_TRUE(pending.armed());
  pending.cancel();
}

TEST_F(CurlTransportTest, AStreamThatTheLoopDoesNotReadIsNotReadFromTheServer) {
  constexpr std::size_t kTotal = std::size_t{48} << 20;
  std::promise<std::size_t> stalled;
  serve([&](Connection& connection, const Received&) {
    connection.write(kChunked);
    const std::string piece(64 << 10, 'x');
    bool told = false;
    for (std::size_t sent = 0; sent < kTotal; sent += piece.size()) {
      if (!told && connection.stalled(1500)) {
        told = true;
        stalled.set_value(sent);
      }
      if (!connection.chunk(piece)) return false;
    }
    return connection.chunk("");
  });
  std::size_t received = 0;
  bool ended = false;
  StreamSink sink;
  sink.data = [&](std::string_view bytes) { received += bytes.size(); };
  sink.ended = [&](auto refusal, auto failure) { ended = !refusal && !failure; };
  // The pause is longer than the timeout, and must not count as silence.
  const Pending pending = transport().stream(get("/watch", kSoon), std::move(sink));
  // The kernel's buffers of both sides hold some MiB more.
  EXPECT_LT(stalled.get_future().get(), kMostUnread + (std::size_t{16} << 20));
  run_until([&] { return ended; });
  EXPECT_EQ(received, kTotal);
}

TEST_F(CurlTransportTest, AHeadThatDoesNotEndIsRefused) {
  serve([](Connection& connection, const Received&) {
    connection.write("HTTP/1.1 200 OK\r\n");
    const std::string line = "X: " + std::string(1000, 'x') + "\r\n";
    for (int i = 0; i < 100; ++i)
      if (!connection.write(line)) return false;
    return connection.write("Content-Length: 0\r\n\r\n");
  });
  const Exchange exchange = send(get("/"));
  EXPECT_FALSE(exchange.response);
  EXPECT_NE(exchange.failure.message.find("head of the response is larger"), std::string::npos)
      << exchange.failure.message;
}

TEST_F(CurlTransportTest, ARefusalThatDoesNotEndIsRefused) {
  serve([](Connection& connection, const Received&) {
    connection.write("HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (connection.chunk(std::string(64 << 10, 'x'))) {
    }
    return false;
  });
  Stream stream;
  open(stream, get("/watch"));
  run_until([&] { return stream.ended(); });
  ASSERT_TRUE(stream.failure);
  EXPECT_NE(stream.failure->message.find("larger than 1 MiB"), std::string::npos);
}

TEST_F(CurlTransportTest, ARedirectIsAnAnswerNotAnOrder) {
  serve([](Connection& connection, const Received&) {
    return connection.answer(302, "", "Location: https://example.invalid/\r\n");
  });
  EXPECT_EQ(send(get("/")).response->status, 302);
  EXPECT_EQ(server->requests().size(), 1u);
}

}  // namespace
}  // namespace tamp::net
