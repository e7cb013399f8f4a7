#include "run/reasons.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "run/guards.h"

namespace tamp::run {
namespace {

// First cells of the rows of a section's table.
std::vector<std::string> listed(const std::string& section) {
  std::ifstream page(TAMP_SOURCE_DIR "/docs/reference/runs.md");
  std::vector<std::string> words;
  bool within = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) within = line == "## " + section;
    if (!within || !line.starts_with("| ") || line.starts_with("| Reason |") || line.starts_with("| Guard |"))
      continue;
    std::string word = line.substr(2, line.find(" |", 2) - 2);
    std::erase(word, '`');
    words.push_back(word);
  }
  return words;
}

TEST(Reasons, EachHasALineOnThePage) {
  EXPECT_EQ(listed("Reasons"), std::vector<std::string>(std::begin(kReasons), std::end(kReasons)));
}

TEST(Reasons, EachGuardHasALineOnThePage) {
  EXPECT_EQ(listed("Guards"), std::vector<std::string>(std::begin(kGuards), std::end(kGuards)));
}

}  // namespace
}  // namespace tamp::run
