#include "sim/embedded/memory_transport.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "net/fake_loop_testing.h"
#include "wire/tree.h"

namespace tamp::embed {
namespace {

using codec::Tree;
using world::api::ResourceId;

struct Line {
  kube::FakeLoop loop;
  world::api::Server server{1, loop.now()};
  MemoryTransport transport{loop, server, "secret"};

  Line() { server.add_token("secret", {}); }

  kube::Exchange ask(kube::Method method, const std::string& target, const std::string& body = {}) {
    std::optional<kube::Exchange> answer;
    kube::Request request;
    request.method = method;
    request.target = target;
    request.body = body;
    if (!body.empty()) request.content_type = "application/json";
    kube::Pending call =
        transport.send(request, [&](kube::Exchange exchange) { answer = std::move(exchange); });
    EXPECT_FALSE(answer.has_value()) << "answered from within send()";
    loop.advance(Duration::seconds(1));
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(kube::Exchange{});
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
  const kube::Exchange found = line.ask(kube::Method::Get, "/api/v1/namespaces/shop");
  ASSERT_TRUE(found.response.has_value());
  EXPECT_EQ(found.response->status, 200);
  EXPECT_NE(found.response->body.find("\"shop\""), std::string::npos);
  EXPECT_EQ(line.ask(kube::Method::Get, "/api/v1/namespaces/none").response->status, 404);
}

TEST(MemoryTransport, AnAnswerThatNobodyWaitsForIsStillCarriedOut) {
  Line line;
  line.make_namespace("shop");
  kube::Request request;
  request.method = kube::Method::Post;
  request.target = "/api/v1/namespaces/shop/configmaps";
  request.content_type = "application/json";
  request.body = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})";
  bool told = false;
  kube::Pending call = line.transport.send(request, [&](kube::Exchange) { told = true; });
  call.cancel();
  line.loop.advance(Duration::seconds(1));
  EXPECT_FALSE(told);
  EXPECT_NE(line.server.get(ResourceId::ConfigMaps, "shop", "a"), nullptr);
}

struct Listener {
  bool opened = false, ended = false;
  std::string data;
  kube::StreamSink sink() {
    return {[this] { opened = true; }, [this](std::string_view bytes) { data += bytes; },
            [this](std::optional<kube::Response>, std::optional<kube::Failure>) { ended = true; }};
  }
};

TEST(MemoryTransport, AWatchTellsOfChangesUntilItIsDropped) {
  Line line;
  Listener listener;
  kube::Request request;
  request.target = "/api/v1/namespaces?watch=1";
  kube::Pending watch = line.transport.stream(request, listener.sink());
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
  kube::Request request;
  request.target = "/api/v1/namespaces?watch=1&resourceVersion=1";
  kube::Pending watch = line.transport.stream(request, listener.sink());
  line.loop.advance(Duration::seconds(1));
  EXPECT_TRUE(listener.ended || listener.data.find("\"code\":410") != std::string::npos);
}

}  // namespace
}  // namespace tamp::embed
