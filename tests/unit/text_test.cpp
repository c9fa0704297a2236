// Texts in messages: only whole characters, one line, a limited length.
#include "crivo/host/text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace crivo {
namespace {

TEST(Text, QuotesShortTextsWhole) {
  EXPECT_EQ(in_quotes(""), "''");
  EXPECT_EQ(in_quotes("blocked"), "'blocked'");
  EXPECT_EQ(in_quotes("na\xC3\xAFve \xE6\xBC\xA2 \xF0\x9F\x8C\x8D"), "'na\xC3\xAFve \xE6\xBC\xA2 \xF0\x9F\x8C\x8D'");
  EXPECT_EQ(in_quotes(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
}

TEST(Text, CutsLongOnesBetweenTwoCharacters) {
  EXPECT_EQ(in_quotes(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
  for (const std::string character : {"\xC3\xA9", "\xE6\xBC\xA2", "\xF0\x9F\x8C\x8D"}) {
    for (std::size_t before = 0; before < 5; ++before) {
      std::string text(before, 'x');
      std::string kept = text;
      for (int i = 0; i < 40; ++i) {
        text += character;
        if (kept.size() + character.size() <= 40) kept += character;
      }
      EXPECT_EQ(in_quotes(text), "'" + kept + "...'");
    }
  }
}

TEST(Text, ReplacesWhatIsNoCharacter) {
  EXPECT_EQ(in_quotes(std::string("a\0b\n\x7F", 5)), "'a?b\?\?'");
  EXPECT_EQ(in_quotes("\xFF\xC3"), "'\?\?'");
  EXPECT_EQ(in_quotes("\xED\xA0\x80"), "'\?\?\?'");  // a surrogate half
}

TEST(Text, KnowsWellFormedCharacters) {
  for (const char* good : {"a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(utf8_character_bytes(std::string(good) + "a"), std::string(good).size()) << good;
    EXPECT_EQ(utf8_character_bytes(good), std::string(good).size()) << good;
  }
  for (const char* bad :
       {"", "\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\x80", "\xE0\xA0", "\xED\xA0\x80",
        "\xE1\x80\xC0", "\xF0\x8F\x80\x80", "\xF1\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(utf8_character_bytes(bad), 0U) << bad;
  }
}

TEST(Text, IsANumberAsAWholeOrNot) {
  EXPECT_EQ(read_number<double>("0.01"), 0.01);
  EXPECT_EQ(read_number<double>("-1e-3"), -1e-3);
  EXPECT_EQ(read_number<double>("5e-324"), 5e-324);
  EXPECT_EQ(read_number<double>("1e-999"), std::nullopt);
  EXPECT_EQ(read_number<double>("0.1000000000000000055511151231257827"), 0.1);
  for (const char* text : {"", " 1", "1 ", "+1", "1,5", "1e", "e", "-", "0x1", "1e999", "1-2"}) {
    EXPECT_EQ(read_number<double>(text), std::nullopt) << text;
  }
  EXPECT_EQ(read_number<double>("-inf"), -INFINITY);
  EXPECT_EQ(read_number<unsigned>("17"), 17U);
  for (const char* text : {"", "-1", "1.0", "4294967296"}) EXPECT_EQ(read_number<unsigned>(text), std::nullopt) << text;
}

}  // namespace
}  // namespace crivo
