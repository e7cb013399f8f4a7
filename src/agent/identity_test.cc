#include "agent/identity.h"

#include <gtest/gtest.h>

#include "agent/tree_testing.h"
#include "net/certificate.h"

namespace tamp::agent {
namespace {

constexpr Time kNow{1'794'700'800'000'000'000};

TEST(Identity, OfItsOwnIsMadeAgainLongBeforeItEnds) {
  Identity identity({}, {"node-1", "127.0.0.1"});
  const auto first = identity.renew(kNow);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(*first);
  EXPECT_FALSE(identity.renew(kNow + Duration::hours(24)).value());
  const auto later = identity.renew(kNow + Duration::hours(300 * 24));
  ASSERT_TRUE(later);
  ASSERT_TRUE(*later);
  EXPECT_NE((*later)->certificate_chain, (*first)->certificate_chain);
}

TEST(Identity, OfFilesIsReadAgainWhenTheyChange) {
  testing::TempTree tree({{"tls.crt", "one"}, {"tls.key", "key"}});
  Identity identity({tree.path("tls.crt"), tree.path("tls.key")}, {});
  EXPECT_EQ(identity.renew(kNow).value()->certificate_chain, "one");
  EXPECT_FALSE(identity.renew(kNow).value());
  tree.write("tls.crt", "two");
  EXPECT_EQ(identity.renew(kNow).value()->certificate_chain, "two");
  tree.remove("tls.key");
  const auto gone = identity.renew(kNow);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().message, tree.path("tls.key") + ": cannot be opened");
}

}  // namespace
}  // namespace tamp::agent
