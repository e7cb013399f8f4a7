#include "controller/cluster_reader.h"

#include <gtest/gtest.h>

#include <set>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"
#include "store/store.h"

namespace tamp::controller {
namespace {

using wire::ObjectKind;

struct Reading : testing::Test {
  net::FakeLoop loop;
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  store::ClusterStore store;
  std::optional<Status> outcome;

  void read() {
    PageSink sink;
    sink.begin = [this](ObjectKind kind) { store.begin_list(kind); };
    sink.page = [this](ObjectKind kind, const std::string& bytes) { return store.add_page(kind, bytes); };
    sink.end = [this](ObjectKind kind) { store.end_list(kind); };
    ClusterReader reader(client, std::move(sink), [this](Status status) { outcome = std::move(status); });
    reader.start();
    loop.advance(Duration::minutes(1));
  }
};

std::string page(const std::string& items, const std::string& next = "") {
  return R"({"kind":"List","metadata":{"resourceVersion":"7","continue":")" + next + R"("},"items":[)" +
         items + "]}";
}
std::string node(const std::string& name) { return R"({"metadata":{"name":")" + name + "\"}}"; }

bool asks_for(const net::Request& request, std::string_view plural) {
  return request.target.starts_with("/api/v1/" + std::string(plural) + "?");
}

TEST_F(Reading, EveryKindIsReadInPages) {
  transport.on_send = [](const net::Request& request) {
    if (!asks_for(request, "nodes")) return net::answer(200, page(""));
    return request.target.find("continue=more") == std::string::npos
               ? net::answer(200, page(node("a"), "more"))
               : net::answer(200, page(node("b")));
  };
  read();
  ASSERT_TRUE(outcome && outcome->ok());
  EXPECT_EQ(store.view().cluster.nodes.size(), 2U);
  EXPECT_EQ(transport.sent.size(), wire::kObjectKinds + 1);
}

TEST_F(Reading, AKindThatIsNotInstalledHasNoObjects) {
  transport.on_send = [](const net::Request& request) {
    return request.target.find("karpenter.sh") != std::string::npos ? net::refuse(404, "NotFound")
                                                                    : net::answer(200, page(""));
  };
  read();
  EXPECT_TRUE(outcome && outcome->ok());
}

TEST_F(Reading, WhatMayNotBeReadIsAnErrorThatNamesIt) {
  transport.on_send = [](const net::Request& request) {
    return asks_for(request, "pods") ? net::refuse(403, "Forbidden", "no right to list pods")
                                     : net::answer(200, page(""));
  };
  read();
  ASSERT_TRUE(outcome && !outcome->ok());
  EXPECT_NE(outcome->error().message.find("cannot read pods"), std::string::npos) << outcome->error().message;
}

TEST_F(Reading, AListThatTheServerForgotIsReadAgainFromItsStart) {
  bool forgot = false;
  transport.on_send = [&](const net::Request& request) {
    if (!asks_for(request, "nodes")) return net::answer(200, page(""));
    if (request.target.find("continue=") == std::string::npos)
      return net::answer(200, page(node(forgot ? "b" : "a"), forgot ? "" : "more"));
    forgot = true;
    return net::refuse(410, "Expired");
  };
  read();
  ASSERT_TRUE(outcome && outcome->ok());
  const wire::Reading read_again = store.view();
  EXPECT_EQ(read_again.cluster.nodes.size(), 1U);
  EXPECT_TRUE(read_again.cluster.find_node("b").valid());
}

}  // namespace
}  // namespace tamp::controller
