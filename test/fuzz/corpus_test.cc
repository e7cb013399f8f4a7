// Replays every file of every corpus as an ordinary test, also where there is no fuzzer.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/targets.h"

namespace tamp::fuzz {
namespace {

std::vector<std::filesystem::path> corpus_of(const Target& target) {
  std::vector<std::filesystem::path> files;
  const auto directory =
      std::filesystem::path(TAMP_SOURCE_DIR) / "test/fuzz/corpus" / std::string(target.name);
  for (const auto& entry : std::filesystem::directory_iterator(directory)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class Corpus : public ::testing::TestWithParam<Target> {};

TEST_P(Corpus, BreaksNoPromise) {
  const auto files = corpus_of(GetParam());
  EXPECT_FALSE(files.empty());
  EXPECT_LE(files.size(), 50u);
  for (const auto& file : files) {
    SCOPED_TRACE(file);
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    GetParam().run(bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus, ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace tamp::fuzz
