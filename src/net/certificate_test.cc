#include "net/certificate.h"

#include <gtest/gtest.h>

namespace tamp::net {
namespace {

constexpr Duration kDay = Duration::hours(24);
const Time kNow = parse_rfc3339("2026-11-15T00:00:00Z").value();
const std::vector<std::string> kNames = {"tamp-webhook.tamp-system.svc",
                                         "tamp-webhook.tamp-system.svc.cluster.local", "127.0.0.1", "::1"};

CertifiedKey authority(Time now = kNow) {
  const auto made = make_authority("Tamp webhook", now);
  EXPECT_TRUE(made.ok());
  return made.value();
}
CertifiedKey serving(const CertifiedKey& by, Time now = kNow) {
  const auto made = make_serving_certificate(by, kNames, now);
  EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  return made.value();
}

TEST(Certificate, AServingCertificateIsFitForItsNames) {
  const CertifiedKey ca = authority();
  const auto status = check_serving_certificate(serving(ca), ca.certificate, kNames, kNow);
  EXPECT_TRUE(status.ok()) << status.error().message;
}

TEST(Certificate, IsTextInPem) {
  const CertifiedKey ca = authority();
  EXPECT_TRUE(ca.certificate.starts_with("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_TRUE(ca.private_key.starts_with("-----BEGIN PRIVATE KEY-----\n"));
}

TEST(Certificate, LivesAsLongAsSaidAndBeganAnHourAgo) {
  const CertifiedKey ca = authority();
  const auto ca_validity = certificate_validity(ca.certificate);
  const auto validity = certificate_validity(serving(ca).certificate);
  ASSERT_TRUE(ca_validity.ok() && validity.ok());
  EXPECT_EQ(format_rfc3339(ca_validity->from), "2026-11-14T23:00:00Z");
  EXPECT_EQ(format_rfc3339(ca_validity->until), "2036-11-12T00:00:00Z");  // 3650 days: three leap days less
  EXPECT_EQ(format_rfc3339(validity->from), "2026-11-14T23:00:00Z");
  EXPECT_EQ(format_rfc3339(validity->until), "2027-11-15T00:00:00Z");
}

TEST(Certificate, NeverOutlivesItsAuthority) {
  const auto ca = make_authority("short", kNow, kDay);
  ASSERT_TRUE(ca.ok());
  const auto validity = certificate_validity(serving(*ca).certificate);
  ASSERT_TRUE(validity.ok());
  EXPECT_EQ(validity->until, kNow + kDay);
}

TEST(Certificate, NoTwoAreEqual) {
  const CertifiedKey ca = authority();
  EXPECT_NE(serving(ca).certificate, serving(ca).certificate);
  EXPECT_NE(authority().private_key, ca.private_key);
}

TEST(Certificate, IsNotFitForOtherNames) {
  const CertifiedKey ca = authority();
  const CertifiedKey ours = serving(ca);
  for (const char* name : {"other.tamp-system.svc", "127.0.0.2"}) {
    const auto status = check_serving_certificate(ours, ca.certificate, {name}, kNow);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, std::string("the certificate is not for ") + name);
  }
}

TEST(Certificate, IsNotFitBeforeAndAfterItsTime) {
  const CertifiedKey ca = authority();
  const CertifiedKey ours = serving(ca);
  EXPECT_TRUE(check_serving_certificate(ours, ca.certificate, kNames, kNow - Duration::minutes(59)).ok());
  EXPECT_FALSE(check_serving_certificate(ours, ca.certificate, kNames, kNow - Duration::minutes(61)).ok());
  EXPECT_FALSE(check_serving_certificate(ours, ca.certificate, kNames, kNow + kServingLife + kDay).ok());
}

TEST(Certificate, IsNotFitUnderAnotherAuthority) {
  const CertifiedKey ca = authority();
  EXPECT_FALSE(check_serving_certificate(serving(ca), authority().certificate, kNames, kNow).ok());
}

TEST(Certificate, NeedsItsOwnKey) {
  const CertifiedKey ca = authority();
  CertifiedKey mixed = serving(ca);
  mixed.private_key = serving(ca).private_key;
  const auto status = check_serving_certificate(mixed, ca.certificate, kNames, kNow);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "the private key does not belong to the certificate");
}

TEST(Certificate, AServingCertificateIsNoAuthority) {
  const CertifiedKey ca = authority();
  const CertifiedKey middle = serving(ca);
  const auto made = make_serving_certificate(middle, kNames, kNow);
  if (!made.ok()) return SUCCEED();
  EXPECT_FALSE(check_serving_certificate(*made, ca.certificate, kNames, kNow).ok());
}

TEST(Certificate, OddNamesAreRefused) {
  const CertifiedKey ca = authority();
  for (const std::string& name : {std::string(), std::string("a,DNS:evil"), std::string("a b"),
                                  std::string("Ä"), std::string(254, 'a'), std::string("a\nb")})
    EXPECT_FALSE(make_serving_certificate(ca, {name}, kNow).ok()) << name;
  EXPECT_FALSE(make_serving_certificate(ca, {}, kNow).ok());
}

TEST(Certificate, ALongNameIsFineWhereItCounts) {
  const std::string name = std::string(60, 'a') + "." + std::string(60, 'b') + ".svc";
  const CertifiedKey ca = authority();
  const auto made = make_serving_certificate(ca, {name}, kNow);
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(check_serving_certificate(*made, ca.certificate, {name}, kNow).ok());
}

TEST(Certificate, NonsenseIsAnError) {
  for (const std::string& pem :
       {std::string(), std::string("x"), authority().certificate.substr(0, 200),
        std::string("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")}) {
    EXPECT_FALSE(certificate_validity(pem).ok());
    EXPECT_FALSE(make_serving_certificate({pem, pem}, kNames, kNow).ok());
  }
}

TEST(Rotation, IsDueAfterTwoThirdsOfLife) {
  const Validity validity{kNow, kNow + Duration::hours(300 * 24)};
  EXPECT_FALSE(rotation_due(validity, kNow));
  EXPECT_FALSE(rotation_due(validity, kNow + Duration::hours(200 * 24) - Duration::seconds(1)));
  EXPECT_TRUE(rotation_due(validity, kNow + Duration::hours(200 * 24)));
  EXPECT_TRUE(rotation_due(validity, kNow + Duration::hours(400 * 24)));
}

TEST(Rotation, IsDueWhereTheClockWasWrong) {
  EXPECT_TRUE(rotation_due({kNow, kNow + kDay}, kNow - Duration::seconds(1)));
}

}  // namespace
}  // namespace tamp::net
