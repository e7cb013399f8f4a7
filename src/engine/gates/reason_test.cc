#include "gates/reason.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace tamp::gates {
namespace {

// The first cell of each table row that is a word in backquotes.
std::vector<std::string> documented_words() {
  std::ifstream page(TAMP_SOURCE_DIR "/docs/reference/reasons.md");
  std::vector<std::string> words;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    words.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return words;
}

TEST(Reason, HasAWordForEachGate) {
  EXPECT_EQ(name(Reason::None), "");
  EXPECT_EQ(name(Reason::NotManaged), "NotManaged");
  EXPECT_EQ(name(Reason::SavingsBelowThreshold), "SavingsBelowThreshold");
  EXPECT_EQ(name(Reason::BalancedScore), "BalancedScore");
  std::set<std::string_view> words;
  for (Reason reason : all_reasons()) words.insert(name(reason));
  EXPECT_EQ(words.size(), all_reasons().size());
}

TEST(Reason, PageListsEveryReasonInOrder) {
  std::vector<std::string> words;
  for (Reason reason : all_reasons()) words.emplace_back(name(reason));
  EXPECT_EQ(documented_words(), words);
}

TEST(Reason, PageSaysOfEachWhatItMeansAndWhatToDo) {
  std::ifstream page(TAMP_SOURCE_DIR "/docs/reference/reasons.md");
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 5) << line;
  }
}

}  // namespace
}  // namespace tamp::gates
