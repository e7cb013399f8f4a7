#include "controller/webhook_certificate.h"

#include <gtest/gtest.h>

#include "net/certificate.h"
#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"
#include "wire/base64.h"

namespace tamp::controller {
namespace {

// A server with one Secret and two webhook configurations.
struct Certified : testing::Test {
  net::FakeLoop loop;
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  Log log{LogLevel::Debug, LogFormat::Text, [this] { return loop.now(); }, [](std::string_view) {}};
  bool leading = true;
  std::optional<std::string> secret;  // its JSON, with a resourceVersion
  std::vector<std::string> bundle_patches;
  std::string bundle;  // as the configurations have it, base64
  std::vector<net::TlsIdentity> used;
  std::unique_ptr<WebhookCertificate> certificate;

  Certified() {
    transport.on_send = [this](const net::Request& request) { return answer(request); };
  }

  void start() {
    WebhookCertificateOptions options;
    options.names = {"tamp-webhook.tamp-system.svc"};
    certificate = std::make_unique<WebhookCertificate>(
        loop, client, log, options, [this] { return leading; },
        [this](const net::TlsIdentity& identity) { used.push_back(identity); });
    certificate->start();
    loop.advance(Duration::seconds(10));
  }

  wire::CertificateSecret stored() const { return *wire::read_certificate_secret(*secret); }

 private:
  net::Exchange answer(const net::Request& request) {
    const bool secrets = request.target.find("/secrets") != std::string::npos;
    if (secrets && request.method == net::Method::Get)
      return secret ? net::answer(200, *secret) : net::refuse(404, "NotFound");
    if (secrets) {
      auto made = *wire::read_certificate_secret(with_version(request.body));
      made.resource_version = "2";
      secret = wire::write_certificate_secret("tamp-system", "tamp-webhook-certificate", made);
      return net::answer(201, *secret);
    }
    if (request.method == net::Method::Patch) {
      bundle_patches.push_back(request.target);
      const std::size_t at = request.body.rfind("\"value\":\"") + 9;
      bundle = request.body.substr(at, request.body.find('"', at) - at);
    }
    return net::answer(
        200, R"({"metadata":{"resourceVersion":"5"},"webhooks":[{"clientConfig":{"caBundle":")" + bundle +
                 "\"}}]}");
  }
  static std::string with_version(std::string body) {
    if (body.find("resourceVersion") == std::string::npos)
      body.insert(body.find("\"metadata\":{") + 12, R"("resourceVersion":"1",)");
    return body;
  }
};

TEST_F(Certified, TheLeaderMakesOneUsesItAndTellsTheApiServer) {
  start();
  ASSERT_TRUE(secret);
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used[0].certificate_chain, stored().certificate);
  EXPECT_TRUE(net::check_serving_certificate({used[0].certificate_chain, used[0].private_key},
                                             stored().authorities, {"tamp-webhook.tamp-system.svc"},
                                             loop.now()));
  EXPECT_EQ(*wire::decode_base64(bundle), stored().authorities);
  ASSERT_FALSE(bundle_patches.empty());
}

TEST_F(Certified, AFollowerWritesNothingAndUsesWhatIsThere) {
  leading = false;
  start();
  EXPECT_FALSE(secret);
  leading = true;
  loop.advance(Duration::seconds(10));
  leading = false;
  ASSERT_TRUE(secret);
  EXPECT_EQ(used.size(), 1U);
}

TEST_F(Certified, NothingIsWrittenWhileItIsGood) {
  start();
  const std::string before = *secret;
  const std::size_t patches = bundle_patches.size();
  loop.advance(Duration::hours(2));
  EXPECT_EQ(*secret, before);
  EXPECT_EQ(bundle_patches.size(), patches);
  EXPECT_EQ(used.size(), 1U);
}

TEST_F(Certified, ItIsRenewedInTimeAndTheOldAuthorityStaysTrusted) {
  start();
  const wire::CertificateSecret first = stored();
  loop.freeze(Duration::hours(250 * 24));  // two thirds of a year are over
  loop.advance(Duration::minutes(5));
  ASSERT_EQ(used.size(), 2U);
  EXPECT_NE(stored().certificate, first.certificate);
  EXPECT_TRUE(stored().authorities.ends_with(first.authorities));
  EXPECT_EQ(*wire::decode_base64(bundle), stored().authorities);
}

TEST_F(Certified, OneThatIsNotFitIsMadeAnew) {
  wire::CertificateSecret broken;
  broken.resource_version = "1";
  broken.certificate = "not a certificate";
  secret = wire::write_certificate_secret("tamp-system", "tamp-webhook-certificate", broken);
  start();
  ASSERT_EQ(used.size(), 1U);
  EXPECT_NE(stored().certificate, "not a certificate");
}

}  // namespace
}  // namespace tamp::controller
