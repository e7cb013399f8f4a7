#include "fit/hash_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "core/ids.h"

namespace tamp::fit {
namespace {

using WordId = Id<struct WordTag>;

TEST(HashIndex, FindsWhatWasAddedAndNothingElse) {
  // Eight hashes for a thousand words: most of them collide.
  std::mt19937 dice(11);
  std::vector<std::string> words;
  HashIndex<WordId> index;
  const auto find = [&](const std::string& word) {
    return index.find(word.size() % 8, [&](WordId id) { return words[id.index()] == word; });
  };
  EXPECT_FALSE(find("").valid()) << "nothing is there yet";
  for (int i = 0; i < 1000; ++i) {
    const std::size_t length = 1 + dice() % 400;
    const std::string word(length, static_cast<char>('a' + dice() % 26));
    if (find(word).valid()) continue;
    index.add(word.size() % 8, WordId(words.size()));
    words.push_back(word);
  }
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(find(words[i]), WordId(i));
  EXPECT_FALSE(find("no such word").valid());
}

}  // namespace
}  // namespace tamp::fit
