// Streams through a server, over a raw socket.
#include "net/http_stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "net/http_client_for_test.h"
#include "net/http_server.h"

namespace tamp::net {
namespace {

using testing::RawClient;

constexpr Duration milliseconds(std::int64_t n) { return {n * 1'000'000}; }
const std::string kGet = "GET /watch HTTP/1.1\r\nHost: a\r\n\r\n";

bool soon(const std::function<bool()>& holds) {
  for (int i = 0; i < 500 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return holds();
}

// Answers every request with the one stream.
std::unique_ptr<HttpServer> serve(const HttpStream& stream, HttpOptions options = {},
                                  std::optional<Duration> life = {}) {
  auto server = HttpServer::start(std::move(options), [=](const HttpRequest&, const Responder& respond) {
    respond({200, "application/json", "", {}, stream, life});
  });
  EXPECT_TRUE(server.ok());
  return std::move(server).value();
}

TEST(HttpStream, WhatIsWrittenComesAsChunksUntilItIsFinished) {
  HttpStream stream;
  const auto server = serve(stream);
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_TRUE(stream.write("first\n"));
  const std::string header = client.read_response();
  EXPECT_EQ(testing::status_of(header), 200);
  EXPECT_NE(header.find("Transfer-Encoding: chunked\r\n"), std::string::npos) << header;
  EXPECT_EQ(client.read_exactly(11), "6\r\nfirst\n\r\n");
  std::thread([&] { EXPECT_TRUE(stream.write("second\n")); }).join();
  EXPECT_EQ(client.read_exactly(12), "7\r\nsecond\n\r\n");
  stream.finish();
  EXPECT_EQ(client.read_exactly(5), "0\r\n\r\n");
  EXPECT_TRUE(client.closed_by_server());
  EXPECT_FALSE(stream.write("too late\n"));
}

TEST(HttpStream, TheWriterHearsThatTheClientHasLeft) {
  HttpStream stream;
  std::atomic<int> gone = 0;
  stream.on_closed([&] { ++gone; });
  const auto server = serve(stream);
  {
    RawClient client(server->port());
    client.send(kGet);
    EXPECT_EQ(testing::status_of(client.read_response()), 200);
    EXPECT_FALSE(stream.closed());
  }
  EXPECT_TRUE(soon([&] { return gone == 1; }));
  EXPECT_FALSE(stream.write("anybody there?"));
}

TEST(HttpStream, AWriterThatHearsOfItTooLateIsToldAtOnce) {
  HttpStream stream;
  stream.close();
  bool told = false;
  stream.on_closed([&] { told = true; });
  EXPECT_TRUE(told);
}

TEST(HttpStream, ItEndsProperlyWhenItsTimeIsOver) {
  HttpStream stream;
  const auto server = serve(stream, {}, milliseconds(100));
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_EQ(testing::status_of(client.read_response()), 200);
  EXPECT_EQ(client.read_exactly(5), "0\r\n\r\n");
  EXPECT_TRUE(client.closed_by_server());
}

TEST(HttpStream, ItOutlivesTheTimeoutsOfPlainResponses) {
  HttpOptions options;
  options.read_timeout = options.write_timeout = options.idle_timeout = options.handle_timeout =
      milliseconds(50);
  HttpStream stream;
  const auto server = serve(stream, options);
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_EQ(testing::status_of(client.read_response()), 200);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(stream.write("x"));
  EXPECT_EQ(client.read_exactly(6), "1\r\nx\r\n");
}

TEST(HttpStream, AClientThatLetsTooMuchPileUpIsCutOff) {
  HttpStream stream(std::size_t{8} << 20);
  const auto server = serve(stream);
  RawClient client(server->port());
  client.send(kGet);
  const std::string much(std::size_t{1} << 20, 'x');
  bool taken = true;
  for (int i = 0; i < 200 && taken; ++i) taken = stream.write(much);
  EXPECT_FALSE(taken);
  EXPECT_LE(stream.waiting(), std::size_t{8} << 20);
  EXPECT_TRUE(stream.closed());
}

TEST(HttpStream, AClientThatTakesNothingIsCutOff) {
  HttpOptions options;
  options.write_timeout = milliseconds(200);
  HttpStream stream(std::size_t{64} << 20);
  const auto server = serve(stream, options);
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_TRUE(stream.write(std::string(std::size_t{32} << 20, 'x')));
  EXPECT_TRUE(soon([&] { return stream.closed(); }));
}

TEST(HttpStream, ASourceThatCanWaitIsToldWhenEverythingWasSent) {
  HttpStream stream;
  std::atomic<int> sent = 0;
  stream.on_sent([&] { ++sent; });
  const auto server = serve(stream);
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_EQ(testing::status_of(client.read_response()), 200);
  EXPECT_TRUE(soon([&] { return sent >= 1; }));  // the header
  const int before = sent;
  stream.write("x");
  EXPECT_TRUE(soon([&] { return sent > before; }));
  EXPECT_EQ(stream.waiting(), 0u);
}

TEST(HttpStream, StoppingTheServerEndsStreams) {
  HttpStream stream;
  const auto server = serve(stream);
  RawClient client(server->port());
  client.send(kGet);
  EXPECT_EQ(testing::status_of(client.read_response()), 200);
  const auto start = std::chrono::steady_clock::now();
  server->stop(Duration::seconds(10));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(client.read_exactly(5), "0\r\n\r\n");
  EXPECT_TRUE(stream.closed());
  EXPECT_FALSE(stream.write("x"));
}

TEST(HttpStream, AStreamForAServerThatHasGoneIsClosed) {
  Responder kept;
  std::atomic<bool> asked = false;
  auto server = HttpServer::start({}, [&](const HttpRequest&, Responder respond) {
    kept = std::move(respond);
    asked = true;
  });
  ASSERT_TRUE(server.ok());
  RawClient client((*server)->port());
  client.send(kGet);
  while (!asked) std::this_thread::yield();
  server->reset();
  HttpStream stream;
  kept({200, "text/plain", "", {}, stream});
  EXPECT_TRUE(stream.closed());
}

}  // namespace
}  // namespace tamp::net
