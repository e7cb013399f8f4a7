#include "net/http_server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "net/certificate.h"
#include "net/http_client_for_test.h"

namespace tamp::net {
namespace {

using testing::body_of;
using testing::RawClient;
using testing::status_of;

constexpr Duration milliseconds(std::int64_t n) { return {n * 1'000'000}; }
const std::string kGet = "GET /x?y=1 HTTP/1.1\r\nHost: a\r\n\r\n";

// Says what it was asked.
void echo(HttpRequest request, const Responder& respond) {
  respond(
      {200, "text/plain", request.method + " " + request.path + "|" + request.query + "|" + request.body});
}

std::unique_ptr<HttpServer> serve(HttpHandler handler = echo, HttpOptions options = {}) {
  auto server = HttpServer::start(std::move(options), std::move(handler));
  EXPECT_TRUE(server.ok()) << (server.ok() ? "" : server.error().message);
  return std::move(server).value();
}

TEST(HttpServer, AnswersARequest) {
  const auto server = serve();
  RawClient client(server->port());
  ASSERT_TRUE(client.send("POST /validate?timeout=5s HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"));
  const std::string response = client.read_response();
  EXPECT_EQ(status_of(response), 200);
  EXPECT_EQ(body_of(response), "POST /validate|timeout=5s|hello");
  EXPECT_NE(response.find("Content-Type: text/plain\r\n"), std::string::npos);
}

TEST(HttpServer, HandsOnTheHeadersThatMatter) {
  HttpRequest seen;
  const auto server = serve([&](HttpRequest request, const Responder& respond) {
    seen = std::move(request);
    respond({});
  });
  RawClient client(server->port());
  client.send(
      "GET / HTTP/1.1\r\nhost: a\r\nauthorization: Bearer t\r\nCONTENT-TYPE: application/json\r\nAccept: "
      "*/*\r\n"
      "Cookie: c=1\r\nOrigin: http://a\r\nIf-None-Match: \"e\"\r\nLast-Event-ID: 7\r\n\r\n");
  ASSERT_EQ(status_of(client.read_response()), 200);
  EXPECT_EQ(seen.authorization, "Bearer t");
  EXPECT_EQ(seen.content_type, "application/json");
  EXPECT_EQ(seen.accept, "*/*");
  EXPECT_EQ(seen.cookie, "c=1");
  EXPECT_EQ(seen.origin, "http://a");
  EXPECT_EQ(seen.if_none_match, "\"e\"");
  EXPECT_EQ(seen.last_event_id, "7");
  EXPECT_TRUE(seen.peer.starts_with("127.0.0.1:")) << seen.peer;
  EXPECT_FALSE(seen.tls);
}

TEST(HttpServer, KeepsTheConnectionForFurtherRequests) {
  const auto server = serve();
  RawClient client(server->port());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.send(kGet));
    EXPECT_EQ(body_of(client.read_response()), "GET /x|y=1|");
  }
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  const auto server = serve();
  RawClient client(server->port());
  ASSERT_TRUE(client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_EQ(body_of(client.read_response()), "GET /1||");
  EXPECT_EQ(body_of(client.read_response()), "GET /2||");
}

TEST(HttpServer, ClosesWhenTheClientAsksForIt) {
  const auto server = serve();
  RawClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(status_of(client.read_response()), 200);
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServer, ReadsARequestThatComesByteByByte) {
  const auto server = serve();
  RawClient client(server->port());
  for (const char c : std::string("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nxyz")) {
    ASSERT_TRUE(client.send({&c, 1}));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(body_of(client.read_response()), "POST /a||xyz");
}

TEST(HttpServer, ReadsAChunkedBody) {
  const auto server = serve();
  RawClient client(server->port());
  client.send(
      "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "POST /a||abcde");
}

TEST(HttpServer, TellsAClientThatAsksToGoOn) {
  const auto server = serve();
  RawClient client(server->port());
  client.send("POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(status_of(client.read_response()), 100);
  client.send("ok");
  EXPECT_EQ(body_of(client.read_response()), "POST /a||ok");
}

TEST(HttpServer, AHeadRequestGetsTheHeaderAlone) {
  const auto server = serve();
  RawClient client(server->port());
  client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n");
  const std::string response = client.read_response(true);
  EXPECT_EQ(status_of(response), 200);
  EXPECT_NE(response.find("Content-Length: 9\r\n"), std::string::npos) << response;  // "HEAD /x||"
  client.send(kGet);
  EXPECT_EQ(body_of(client.read_response()), "GET /x|y=1|");
}

TEST(HttpServer, WhatIsNotHttpIsA400) {
  const auto server = serve();
  for (const char* bytes :
       {"hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /\r\n\r\n", "\x16\x03\x01\x02\x00\x01\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n",
        "GET nowhere HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    RawClient client(server->port());
    ASSERT_TRUE(client.send(bytes));
    EXPECT_EQ(status_of(client.read_response()), 400) << bytes;
    client.end();
    EXPECT_TRUE(client.closed_by_server());
  }
}

TEST(HttpServer, ATooLargeBodyIsA413) {
  HttpOptions options;
  options.max_body_bytes = 1000;
  const auto server = serve(echo, options);
  const std::string body(200'000, 'x');
  RawClient announced(server->port());
  announced.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n");
  announced.send(body);
  EXPECT_EQ(status_of(announced.read_response()), 413);
  RawClient chunked(server->port());
  chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n30d40\r\n");
  chunked.send(body);
  EXPECT_EQ(status_of(chunked.read_response()), 413);
  RawClient just_right(server->port());
  just_right.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + body.substr(0, 1000));
  EXPECT_EQ(status_of(just_right.read_response()), 200);
}

TEST(HttpServer, ATooLargeHeaderIsA431) {
  HttpOptions options;
  options.max_header_bytes = 1000;
  const auto server = serve(echo, options);
  RawClient client(server->port());
  client.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(5000, 'x') + "\r\n\r\n");
  EXPECT_EQ(status_of(client.read_response()), 431);
}

TEST(HttpServer, ASlowClientIsCutOff) {
  HttpOptions options;
  options.read_timeout = milliseconds(200);
  const auto server = serve(echo, options);
  RawClient silent(server->port());
  EXPECT_TRUE(silent.closed_by_server());
  RawClient dripping(server->port());
  const auto start = std::chrono::steady_clock::now();
  bool cut_off = false;
  for (int i = 0; i < 200 && !cut_off; ++i) {
    cut_off = !dripping.send("x");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(cut_off);  // although it never paused for long
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(HttpServer, AClientThatDoesNotReadIsCutOff) {
  HttpOptions options;
  options.write_timeout = milliseconds(200);
  options.read_timeout = options.idle_timeout = Duration::seconds(60);
  const auto server = serve(
      [](const HttpRequest&, const Responder& respond) {
        respond({200, "text/plain", std::string(std::size_t{64} << 20, 'x')});
      },
      options);
  RawClient client(server->port());
  client.send(kGet);
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_TRUE(client.closed_by_server());  // before the response was whole
}

TEST(HttpServer, AnIdleConnectionIsClosed) {
  HttpOptions options;
  options.idle_timeout = milliseconds(100);
  const auto server = serve(echo, options);
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_EQ(status_of(client.read_response()), 200);
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServer, AnswersMayComeLaterFromAnotherThread) {
  std::thread other;
  const auto server = serve([&](const HttpRequest&, Responder respond) {
    other = std::thread([respond = std::move(respond)] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      respond({200, "text/plain", "later"});
      respond({200, "text/plain", "too late"});
    });
  });
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_EQ(body_of(client.read_response()), "later");
  other.join();
}

TEST(HttpServer, AHandlerThatForgetsToAnswerGivesA500) {
  const auto server = serve([](const HttpRequest&, const Responder&) {});
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_EQ(status_of(client.read_response()), 500);
}

TEST(HttpServer, AHandlerThatThrowsGivesA500) {
  const auto server = serve([](const HttpRequest&, const Responder&) { throw 1; });
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_EQ(status_of(client.read_response()), 500);
}

TEST(HttpServer, AHandlerThatTakesTooLongGivesA503) {
  HttpOptions options;
  options.handle_timeout = milliseconds(50);
  Responder kept;
  const auto server = serve(
      [&](const HttpRequest& request, Responder respond) {
        if (request.path == "/slow")
          kept = std::move(respond);
        else
          respond({200, "text/plain", "quick"});
      },
      options);
  RawClient client(server->port());
  client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(status_of(client.read_response()), 503);
  kept({200, "text/plain", "stale"});  // must not be taken for the answer to the next request
  client.send("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(body_of(client.read_response()), "quick");
}

TEST(HttpServer, AnAnswerAfterTheServerHasGoneDoesNothing) {
  Responder kept;
  std::atomic<bool> asked = false;
  auto server = serve([&](const HttpRequest&, Responder respond) {
    kept = std::move(respond);
    asked = true;
  });
  RawClient client(server->port());
  client.send(kGet);
  while (!asked) std::this_thread::yield();
  server.reset();
  kept({200, "text/plain", "anybody there?"});
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServer, HeadersCannotBeSplit) {
  const auto server = serve([](const HttpRequest&, const Responder& respond) {
    respond({200, "text/plain", "x", {{"X-Bad", "a\r\nSet-Cookie: b"}, {"X-Good", "c"}}});
  });
  RawClient client(server->port());
  client.send(kGet);
  const std::string response = client.read_response();
  EXPECT_EQ(response.find("Set-Cookie"), std::string::npos);
  EXPECT_NE(response.find("X-Good: c\r\n"), std::string::npos);
}

TEST(HttpServer, ServesManyAtOnce) {
  HttpOptions options;
  options.threads = 4;
  std::atomic<int> served = 0;
  const auto server = serve(
      [&](HttpRequest request, const Responder& respond) {
        ++served;
        respond({200, "text/plain", std::move(request.body)});
      },
      options);
  std::atomic<int> right = 0;
  std::vector<std::thread> clients;
  for (int c = 0; c < 50; ++c)
    clients.emplace_back([&, c] {
      RawClient client(server->port());
      for (int i = 0; i < 20; ++i) {
        const std::string body = std::to_string(c * 1000 + i);
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
                    "\r\n\r\n" + body);
        if (body_of(client.read_response()) == body) ++right;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 1000);
  EXPECT_EQ(served, 1000);
}

TEST(HttpServer, OneConnectionTooManyIsCutOff) {
  HttpOptions options;
  options.max_connections = 2;
  const auto server = serve(echo, options);
  RawClient first(server->port()), second(server->port());
  for (RawClient* client : {&first, &second}) {
    client->send(kGet);
    EXPECT_EQ(status_of(client->read_response()), 200);
  }
  RawClient third(server->port());
  EXPECT_TRUE(third.closed_by_server());
  first.send(kGet);
  EXPECT_EQ(status_of(first.read_response()), 200);
}

TEST(HttpServer, StoppingLetsWhatIsUnderWayFinish) {
  std::mutex mutex;
  std::condition_variable changed;
  Responder kept;
  const auto server = serve([&](const HttpRequest& request, Responder respond) {
    if (request.path == "/idle") return respond({});
    const std::lock_guard lock(mutex);
    kept = std::move(respond);
    changed.notify_all();
  });
  RawClient idle(server->port()), busy(server->port());
  idle.send("GET /idle HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(status_of(idle.read_response()), 200);
  busy.send(kGet);
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return kept != nullptr; });
  }
  std::thread stopping([&] { server->stop(Duration::seconds(10)); });
  EXPECT_TRUE(idle.closed_by_server());
  kept({200, "text/plain", "finished"});
  const std::string response = busy.read_response();
  EXPECT_EQ(body_of(response), "finished");
  EXPECT_NE(response.find("Connection: close"), std::string::npos);
  stopping.join();
  EXPECT_FALSE(RawClient(server->port()).connected());
}

TEST(HttpServer, StoppingDoesNotWaitForever) {
  Responder kept;
  std::atomic<bool> asked = false;
  const auto server = serve([&](const HttpRequest&, Responder respond) {
    kept = std::move(respond);
    asked = true;
  });
  RawClient client(server->port());
  client.send(kGet);
  while (!asked) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  server->stop(milliseconds(100));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_TRUE(client.closed_by_server());
}

// ---- where it listens

TEST(HttpServer, PlainHttpBeyondLoopbackMustBeMeant) {
  HttpOptions options;
  options.address = "0.0.0.0";
  const auto refused = HttpServer::start(options, echo);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "refusing to listen on 0.0.0.0 without TLS");
  options.plain_ok = true;
  EXPECT_TRUE(HttpServer::start(options, echo).ok());
}

TEST(HttpServer, SaysWhyItCannotListen) {
  HttpOptions options;
  options.address = "localhost";
  EXPECT_EQ(HttpServer::start(options, echo).error().message, "\"localhost\" is not an IP address");
  const auto first = serve();
  options.address = "127.0.0.1";
  options.port = first->port();
  const auto second = HttpServer::start(options, echo);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("in use"), std::string::npos) << second.error().message;
}

// ---- TLS

// The certificates of these tests are valid at the time of running, whenever that is.
Time today() {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(
              std::chrono::system_clock::now().time_since_epoch())
              .count()};
}

CertifiedKey authority() {
  static const auto made = make_authority("test authority", today());
  return made.value();
}

TlsIdentity identity(const std::string& name = "localhost") {
  const auto made = make_serving_certificate(authority(), {name}, today());
  EXPECT_TRUE(made.ok());
  return {made->certificate, made->private_key};
}

HttpOptions with_tls() {
  HttpOptions options;
  options.tls = identity();
  return options;
}

TEST(HttpServerTls, AnswersOverTls) {
  bool tls = false;
  const auto server = serve(
      [&](const HttpRequest& request, const Responder& respond) {
        tls = request.tls;
        respond({200, "text/plain", "secret"});
      },
      with_tls());
  RawClient client(server->port(), authority().certificate);
  ASSERT_TRUE(client.connected());
  for (int i = 0; i < 2; ++i) {
    client.send(kGet);
    EXPECT_EQ(body_of(client.read_response()), "secret");
  }
  EXPECT_TRUE(tls);
}

TEST(HttpServerTls, PlainHttpGetsNothing) {
  const auto server = serve(echo, with_tls());
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_NE(status_of(client.read_response()), 200);
}

TEST(HttpServerTls, AClientThatDoesNotShakeHandsIsCutOff) {
  HttpOptions options = with_tls();
  options.read_timeout = milliseconds(100);
  const auto server = serve(echo, options);
  RawClient client(server->port());
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpServerTls, TheCertificateCanBeReplacedWithoutDroppingConnections) {
  const auto server = serve(echo, with_tls());
  RawClient before(server->port(), authority().certificate);
  ASSERT_TRUE(before.connected());
  ASSERT_TRUE(server->replace_identity(identity()).ok());
  RawClient after(server->port(), authority().certificate);
  ASSERT_TRUE(after.connected());
  EXPECT_NE(before.peer_serial(), after.peer_serial());
  for (RawClient* client : {&before, &after}) {
    client->send(kGet);
    EXPECT_EQ(status_of(client->read_response()), 200);
  }
}

TEST(HttpServerTls, ABadIdentityIsRefusedAndTheOldOneStays) {
  const auto server = serve(echo, with_tls());
  EXPECT_FALSE(server->replace_identity({"", ""}).ok());
  EXPECT_FALSE(
      server->replace_identity({"-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n", "y"}).ok());
  EXPECT_FALSE(server->replace_identity({identity().certificate_chain, identity().private_key}).ok());
  RawClient client(server->port(), authority().certificate);
  EXPECT_TRUE(client.connected());
}

TEST(HttpServerTls, ABadIdentityDoesNotStart) {
  HttpOptions options;
  options.tls = TlsIdentity{"nonsense", "nonsense"};
  EXPECT_FALSE(HttpServer::start(options, echo).ok());
}

TEST(HttpServerTls, KnowsAClientByItsCertificate) {
  HttpOptions options = with_tls();
  const auto clients = make_authority("authority of clients", today());
  ASSERT_TRUE(clients.ok());
  options.client_authority = clients->certificate;
  const auto server = serve(
      [](const HttpRequest& request, const Responder& respond) {
        respond({200, "text/plain", request.certified_name ? "<" + *request.certified_name + ">" : "nobody"});
      },
      options);
  const auto ask = [&](const CertifiedKey& shown) -> std::string {
    RawClient client(server->port(), authority().certificate, "localhost", shown.certificate,
                     shown.private_key);
    if (!client.connected() || !client.send(kGet)) return "cut off";
    const std::string response = client.read_response();
    return response.empty() ? "cut off" : body_of(response);
  };
  const auto known = make_client_certificate(*clients, "controller", today());
  ASSERT_TRUE(known.ok()) << known.error().message;
  EXPECT_EQ(ask(*known), "<controller>");
  EXPECT_EQ(ask(*known), "<controller>") << "and when it comes back";
  EXPECT_EQ(ask({}), "nobody") << "who shows none is let in, without a name";

  EXPECT_EQ(ask(*make_client_certificate(authority(), "controller", today())), "cut off")
      << "another authority";
  EXPECT_EQ(ask(*make_serving_certificate(*clients, {"controller"}, today())), "cut off")
      << "meant for servers";
  EXPECT_EQ(
      ask(*make_client_certificate(*clients, "controller", today() - Duration::hours(3), Duration::hours(1))),
      "cut off")
      << "expired";
}

TEST(HttpServerTls, AnAuthorityOfClientsNeedsTls) {
  HttpOptions options;
  options.client_authority = authority().certificate;
  EXPECT_FALSE(HttpServer::start(options, echo).ok());
  options = with_tls();
  options.client_authority = "nonsense";
  EXPECT_FALSE(HttpServer::start(options, echo).ok());
}

TEST(HttpServerTls, CertificatesAreReplacedWhileManyConnect) {
  const auto server = serve(echo, with_tls());
  std::atomic<bool> done = false;
  std::thread rotating([&] {
    const TlsIdentity one = identity(), other = identity();
    for (int i = 0; !done; ++i) EXPECT_TRUE(server->replace_identity(i % 2 == 0 ? one : other).ok());
  });
  std::atomic<int> right = 0;
  std::vector<std::thread> clients;
  for (int c = 0; c < 8; ++c)
    clients.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        RawClient client(server->port(), authority().certificate);
        client.send(kGet);
        if (status_of(client.read_response()) == 200) ++right;
      }
    });
  for (std::thread& client : clients) client.join();
  done = true;
  rotating.join();
  EXPECT_EQ(right, 40);
}

}  // namespace
}  // namespace tamp::net
