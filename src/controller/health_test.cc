#include "controller/health.h"

#include <gtest/gtest.h>

namespace tamp::controller {
namespace {

struct HealthTest : ::testing::Test {
  net::HttpResponse get(std::string path, std::string query = "", std::string method = "GET") const {
    net::HttpRequest request;
    request.method = std::move(method);
    request.path = std::move(path);
    request.query = std::move(query);
    return health.answer(request);
  }

  net::Instant now{1'000'000};
  Health health{{"caches", "webhook-certificate"}, [this] { return now; }};
};

TEST_F(HealthTest, IsAliveFromTheStart) {
  EXPECT_EQ(get("/healthz").status, 200);
  EXPECT_EQ(get("/healthz").body, "ok\n");
  EXPECT_EQ(get("/livez").status, 200);
}

TEST_F(HealthTest, ALoopThatStandsStillForAMinuteIsNotAlive) {
  health.tick();
  now = now + Duration::seconds(60);
  EXPECT_EQ(get("/healthz").status, 200);
  now = now + Duration::seconds(1);
  EXPECT_EQ(get("/healthz").status, 503);
  EXPECT_EQ(get("/healthz").body, "[-] loop: has not moved for 1m1s\nnot healthy\n");
  EXPECT_EQ(get("/readyz").status, 503);
  health.tick();
  EXPECT_EQ(get("/healthz").status, 200);
}

TEST_F(HealthTest, IsReadyWhenEverythingIsInPlace) {
  EXPECT_EQ(get("/readyz").status, 503);
  EXPECT_EQ(get("/readyz").body,
            "[-] caches: not yet\n[+] loop ok\n[-] webhook-certificate: not yet\nnot ready\n");
  health.set_ready("webhook-certificate");
  health.set_not_ready("caches", "waiting for pods and nodes");
  EXPECT_EQ(get("/readyz").body,
            "[-] caches: waiting for pods and nodes\n[+] loop ok\n[+] webhook-certificate ok\nnot ready\n");
  health.set_ready("caches");
  EXPECT_EQ(get("/readyz").status, 200);
  EXPECT_EQ(get("/readyz").body, "ok\n");
}

TEST_F(HealthTest, NotBeingReadyIsNoReasonToBeRestarted) { EXPECT_EQ(get("/healthz").status, 200); }

TEST_F(HealthTest, ReadinessCanBeLostAgain) {
  health.set_ready("caches");
  health.set_ready("webhook-certificate");
  health.set_not_ready("shutdown", "stopping");
  EXPECT_EQ(get("/readyz").status, 503);
}

TEST_F(HealthTest, VerboseListsEverything) {
  health.set_ready("caches");
  health.set_ready("webhook-certificate");
  const std::string all = "[+] caches ok\n[+] loop ok\n[+] webhook-certificate ok\nok\n";
  EXPECT_EQ(get("/readyz", "verbose").body, all);
  EXPECT_EQ(get("/readyz", "a=b&verbose=1").body, all);
  EXPECT_EQ(get("/readyz", "verbosely").body, "ok\n");
}

TEST_F(HealthTest, OtherPathsAndMethodsAreNotServed) {
  EXPECT_EQ(get("/").status, 404);
  EXPECT_EQ(get("/readyz", "", "POST").status, 405);
  EXPECT_EQ(get("/healthz", "", "HEAD").status, 200);
}

}  // namespace
}  // namespace tamp::controller
