#include "sim/embedded/memory_transport.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "net/fake_loop_testing.h"
#include "wire/tree.h"

namespace tamp::embed {
namespace {

using wire::Tree;
using world::api::ResourceId;

struct Line {
  net::FakeLoop loop;
  world::api::Server server{1, loop.now()};
  MemoryTransport transport{loop, server, "secret"};

  Line() { server.add_token("secret", {}); }

  net::Exchange ask(net::Method method, const std::string& target, const std::string& body = {}) {
    std::optional<net::Exchange> answer;
    net::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    if (!body.empty()) request.content_type = "application/json";
    net::Pending call =
        transport.send(request, [&](net::Exchange exchange) { answer = std::move(exchange); });
    EXPECT_FALSE(answer.has_value()) << "answered from within send()";
    loop.advance(Duration::seconds(1));
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(net::Exchange{});
  }
  void make_namespace(const char* name) {
    server.create(
        ResourceId::Namespaces, "",
        Tree::object(
            {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Tree::object({{"name", name}})}}));
  }
};

TEST(MemoryTransport, AnswersAsTheServerDoes) {
  Line line;
  line.make_namespace("shop");
  const net::Exchange found = line.ask(net::Method::Get, "/api/v1/namespaces/shop");
  ASSERT_TRUE(found.response.has_value());
  EXPECT_EQ(found.response->status, 200);
  EXPECT_NE(found.response->body.find("\"shop\""), std::string::npos);
  EXPECT_EQ(line.ask(net::Method::Get, "/api/v1/namespaces/none").response->status, 404);
}

TEST(MemoryTransport, AnAnswerThatNobodyWaitsForIsStillCarriedOut) {
  Line line;
  line.make_namespace("shop");
  net::Request request;
  request.method = net::Method::Post;
  request.target = "/api/v1/namespaces/shop/configmaps";
  request.content_type = "application/json";
  request.body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})";
  bool told = false;
  net::Pending call = line.transport.send(request, [&](net::Exchange) { told = true; });
  call.cancel();
  line.loop.advance(Duration::seconds(1));
  EXPECT_FALSE(told);
  EXPECT_NE(line.server.get(ResourceId::ConfigMaps, "shop", "a"), nullptr);
}

struct Listener {
  bool opened = false, ended = false;
  std::string data;
  net::StreamSink sink() {
    return {[this] { opened = true; }, [this](std::string_view bytes) { data += bytes; },
            [this](std::optional<net::Response>, std::optional<net::Failure>) { ended = true; }};
  }
};

TEST(MemoryTransport, AWatchTellsOfChangesUntilItIsDropped) {
  Line line;
  Listener listener;
  net::Request request;
  request.target = "/api/v1/namespaces?watch=1";
  net::Pending watch = line.transport.stream(request, listener.sink());
  line.loop.advance(Duration::seconds(1));
  EXPECT_TRUE(listener.opened);
  line.make_namespace("shop");
  line.loop.advance(Duration::seconds(1));
  EXPECT_NE(listener.data.find("\"shop\""), std::string::npos);
  EXPECT_NE(listener.data.find("ADDED"), std::string::npos);
  watch.cancel();
  const std::size_t heard = listener.data.size();
  line.make_namespace("other");
  line.loop.advance(Duration::seconds(1));
  EXPECT_EQ(listener.data.size(), heard);
  EXPECT_FALSE(listener.ended);
}

TEST(MemoryTransport, AWatchFromTooLongAgoIsRefusedOrEnds) {
  Line line;
  line.server.keep_changes(1);
  for (const char* name : {"a", "b", "c", "d"}) line.make_namespace(name);
  Listener listener;
  net::Request request;
  request.target = "/api/v1/namespaces?watch=1&resourceVersion=1";
  net::Pending watch = line.transport.stream(request, listener.sink());
  line.loop.advance(Duration::seconds(1));
  EXPECT_TRUE(listener.ended || listener.data.find("\"code\":410") != std::string::npos);
}

}  // namespace
}  // namespace tamp::embed
