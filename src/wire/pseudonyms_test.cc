#include "wire/pseudonyms.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tamp::wire {
namespace {

Pseudonyms of_names(const std::vector<std::string>& names, const std::vector<std::string>& words = {}) {
  Pseudonyms result;
  for (const auto& name : names) result.add_name(name);
  for (const auto& word : words) result.add_word(word);
  result.settle();
  return result;
}

TEST(Pseudonyms, AreALetterAndTheRank) {
  const Pseudonyms p = of_names({"web", "cart"});
  EXPECT_EQ(p.of("cart"), "x00001");
  EXPECT_EQ(p.of("web"), "x00002");
}

TEST(Pseudonyms, OtherStringsStay) {
  const Pseudonyms p = of_names({"web"});
  EXPECT_EQ(p.of("cart"), "cart");
  EXPECT_EQ(p.of(""), "");
}

TEST(Pseudonyms, WordsNumbersAndWhatEveryClusterHasStay) {
  const Pseudonyms p = of_names({"web", "default", "kube-system", "42", "true"}, {"web"});
  for (const char* name : {"web", "default", "kube-system", "42", "true"}) EXPECT_EQ(p.of(name), name);
}

TEST(Pseudonyms, SortAsTheNamesDid) {
  const std::vector<std::string> names = {"0a",          "a",         "b-1",    "cart",
                                          "default",     "default-2", "kube-a", "kube-public",
                                          "kube-system", "kube-x",    "web",    "zoo"};
  const Pseudonyms p = of_names(names);
  for (std::size_t i = 1; i < names.size(); ++i)
    EXPECT_LT(std::string(p.of(names[i - 1])), std::string(p.of(names[i]))) << names[i];
}

TEST(Pseudonyms, AreEqualToNoOtherString) {
  Pseudonyms p;
  p.add_name("web");
  p.add_value("x00001");  // the value of some label
  p.settle();
  EXPECT_NE(p.of("web"), "x00001");
  EXPECT_EQ(p.of("x00001"), "x00001");
}

TEST(Pseudonyms, PathsAreMaskedPartByPart) {
  Pseudonyms p;
  p.add_word("eu-1a");
  for (const char* path :
       {"aws:///eu-1a/i-07", "projects/acme/zones/eu-1a/disks/pd-3", "aws://eu-1a/vol-9", "a,b"})
    p.add_path(path);
  p.settle();
  EXPECT_EQ(p.of_path("aws:///eu-1a/i-07"), "aws:///eu-1a/" + std::string(p.of("i-07")));
  EXPECT_EQ(p.of_path("projects/acme/zones/eu-1a/disks/pd-3"),
            "projects/" + std::string(p.of("acme")) + "/zones/eu-1a/disks/" + std::string(p.of("pd-3")));
  EXPECT_EQ(p.of_path("aws://eu-1a/vol-9"), "aws://eu-1a/vol-" + std::string(p.of("vol-9")))
      << "what an EBS volume is known by";
  EXPECT_EQ(p.of_path("a,b"), std::string(p.of("a")) + "," + std::string(p.of("b")));
}

TEST(Pseudonyms, TheClaimOfAPodsOwnVolumeIsCalledAfterBoth) {
  Pseudonyms p;
  for (const char* name : {"web-1", "cache", "web-1-cache"}) p.add_name(name);
  p.add_pod_claim("web-1", "cache");
  p.settle();
  EXPECT_EQ(p.of("web-1-cache"), std::string(p.of("web-1")) + "-" + std::string(p.of("cache")));
}

}  // namespace
}  // namespace tamp::wire
