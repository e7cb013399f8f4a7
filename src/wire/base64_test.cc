#include "wire/base64.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

// The vectors of RFC 4648, section 10.
constexpr std::pair<const char*, const char*> kVectors[] = {{"", ""},
                                                            {"f", "Zg=="},
                                                            {"fo", "Zm8="},
                                                            {"foo", "Zm9v"},
                                                            {"foob", "Zm9vYg=="},
                                                            {"fooba", "Zm9vYmE="},
                                                            {"foobar", "Zm9vYmFy"}};

TEST(Base64, GoesBothWays) {
  for (const auto& [plain, encoded] : kVectors) {
    EXPECT_EQ(encode_base64(plain), encoded);
    ASSERT_TRUE(decode_base64(encoded).ok()) << encoded;
    EXPECT_EQ(*decode_base64(encoded), plain);
  }
  const std::string all("\x00\xff\x80\x7f\xfb\xef", 6);
  EXPECT_EQ(*decode_base64(encode_base64(all)), all);
}

TEST(Base64, IgnoresLineBreaks) { EXPECT_EQ(*decode_base64("Zm9v\r\nYmFy\n"), "foobar"); }

TEST(Base64, RefusesWhatIsNotBase64) {
  for (const char* bad : {"Z", "Zg", "Zg=", "Zg===", "=", "Zg==Zg==", "Zm9v!", "Zm 9v", "Zm9v===="})
    EXPECT_FALSE(decode_base64(bad).ok()) << bad;
}

TEST(Base64, ErrorsDoNotQuoteTheText) {
  EXPECT_EQ(decode_base64("secret!").error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace tamp::wire
