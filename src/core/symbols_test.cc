#include "core/symbols.h"

#include <gtest/gtest.h>

namespace tamp {
namespace {

TEST(Symbols, EqualTextsAreOneSymbol) {
  Symbols symbols;
  const Symbol a = symbols.intern("a");
  EXPECT_EQ(symbols.intern(std::string("a")), a);
  EXPECT_NE(symbols.intern(""), a);
  EXPECT_EQ(symbols.text(a), "a");
  EXPECT_EQ(symbols.size(), 2u);
}

TEST(Symbols, FindDoesNotIntern) {
  Symbols symbols;
  EXPECT_FALSE(symbols.find("a").valid());
  const Symbol a = symbols.intern("a");
  EXPECT_EQ(symbols.find("a"), a);
  EXPECT_FALSE(symbols.find("b").valid());
  EXPECT_EQ(symbols.size(), 1u);
}

TEST(Symbols, AnInvalidSymbolHasNoText) { EXPECT_EQ(Symbols().text(Symbol()), ""); }

TEST(Symbols, SymbolsAndTextsSurviveGrowthAndCopying) {
  Symbols symbols;
  const std::string_view first = symbols.text(symbols.intern("symbol-0"));
  for (int i = 1; i < 5000; ++i) symbols.intern("symbol-" + std::to_string(i));
  const Symbols copy = symbols;
  EXPECT_EQ(first, "symbol-0");
  for (std::size_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(copy.find("symbol-" + std::to_string(i)), Symbol(i));
    EXPECT_EQ(copy.text(Symbol(i)), "symbol-" + std::to_string(i));
  }
}

}  // namespace
}  // namespace tamp
