#include "agent/gate.h"

#include <gtest/gtest.h>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"

namespace tamp::agent {
namespace {

class GateTest : public ::testing::Test {
 protected:
  GateTest() {
    transport_.on_send = [this](const net::Request& request) {
      if (!reachable_) return net::no_answer();
      const bool good = request.body.find("good") != std::string::npos;
      const bool weak = request.body.find("weak") != std::string::npos;
      if (request.target.find("tokenreviews") != std::string::npos)
        return net::answer(201, good || weak ? R"({"kind":"TokenReview","status":{"authenticated":true,)"
                                               R"("user":{"username":")" +
                                                   std::string(good ? "good" : "weak") + R"("}}})"
                                             : std::string(R"({"kind":"TokenReview","status":{}})"));
      return net::answer(201, std::string(R"({"kind":"SubjectAccessReview","status":{"allowed":)") +
                                  (good ? "true}}" : "false}}"));
    };
  }
  // 200: may pass.
  int ask(Gate& gate, const net::HttpRequest& request) {
    std::optional<int> status;
    gate.ask(request, [&](const std::optional<net::HttpResponse>& refusal) {
      status = refusal ? refusal->status : 200;
      refusal_ = refusal;
    });
    loop_.advance_until([&] { return status.has_value(); }, Duration::minutes(1));
    return status.value_or(0);
  }
  static net::HttpRequest observe(const std::string& authorization = "",
                                  std::optional<std::string> certified_name = {}) {
    net::HttpRequest request;
    request.method = "GET";
    request.path = "/observe";
    request.authorization = authorization;
    request.certified_name = std::move(certified_name);
    return request;
  }

  net::FakeLoop loop_;
  net::ScriptedTransport transport_{loop_};
  net::Client client_{loop_, transport_};
  net::CallerAccess access_{loop_, client_};
  std::optional<net::HttpResponse> refusal_;
  bool reachable_ = true;
};

TEST_F(GateTest, TokensOfKubernetes) {
  Gate gate(loop_, &access_, {});
  EXPECT_EQ(ask(gate, observe("Bearer good")), 200);
  EXPECT_EQ(ask(gate, observe("Bearer weak")), 403);
  EXPECT_EQ(ask(gate, observe("Bearer bad")), 401);
  EXPECT_EQ(ask(gate, observe()), 401);
  EXPECT_EQ(refusal_->headers.at(0).first, "WWW-Authenticate");
  EXPECT_EQ(gate.refused(), (std::array<std::uint64_t, 4>{2, 1, 0, 0}));
}

TEST_F(GateTest, WithoutTheApiServerNobodyWhoIsNotKnownPasses) {
  Gate gate(loop_, &access_, {});
  reachable_ = false;
  EXPECT_EQ(ask(gate, observe("Bearer good")), 503);
  EXPECT_EQ(ask(gate, observe()), 401);
}

TEST_F(GateTest, CertificatesNeedNoApiServer) {
  Gate gate(loop_, nullptr, {});
  EXPECT_EQ(ask(gate, observe("", "controller")), 200);
  EXPECT_EQ(ask(gate, observe()), 401);
  EXPECT_EQ(ask(gate, observe("Bearer good")), 401) << "tokens are of no use here";
}

TEST_F(GateTest, ACertificateMayHaveToBeOfAName) {
  Gate gate(loop_, nullptr, {.client_name = "controller"});
  EXPECT_EQ(ask(gate, observe("", "controller")), 200);
  EXPECT_EQ(ask(gate, observe("", "kubelet")), 403);
  EXPECT_EQ(ask(gate, observe("", "")), 403);
}

TEST_F(GateTest, EitherWillDo) {
  Gate gate(loop_, &access_, {.client_name = "controller"});
  EXPECT_EQ(ask(gate, observe("", "controller")), 200);
  EXPECT_EQ(ask(gate, observe("Bearer good", "kubelet")), 200);
  EXPECT_EQ(ask(gate, observe("", "kubelet")), 403);
}

TEST_F(GateTest, StrangersCannotKeepOutWhoIsKnown) {
  Gate gate(loop_, &access_, {});
  EXPECT_EQ(ask(gate, observe("Bearer good")), 200);
  int refused = 0;
  for (int i = 0; i < 100; ++i) refused += ask(gate, observe()) == 429 ? 1 : 0;
  EXPECT_GE(refused, 75);
  EXPECT_EQ(refusal_->headers.at(0).first, "Retry-After");
  EXPECT_EQ(ask(gate, observe("Bearer good")), 200);
}

TEST_F(GateTest, WhoIsKnownHasALimitToo) {
  Gate gate(loop_, nullptr, {.anybody = true, .client_name = {}});
  int passed = 0;
  for (int i = 0; i < 100; ++i) passed += ask(gate, observe()) == 200 ? 1 : 0;
  EXPECT_EQ(passed, 40);
  loop_.advance(Duration::seconds(1));
  EXPECT_EQ(ask(gate, observe()), 200);
}

}  // namespace
}  // namespace tamp::agent
