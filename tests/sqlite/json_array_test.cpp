// The reader of JSON arrays accepts the same texts as another JSON reader, with the same results.
#include "values/json_array.h"

#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace crivo::testing {
namespace {

using nlohmann::json;
using sqlite::JsonArray;
using sqlite::NotAnArray;
using Texts = std::vector<std::string>;

/// The elements, each with its kind and its text.
std::optional<Texts> read(std::string_view json_text) {
  Texts elements;
  JsonArray array(json_text);
  try {
    while (const auto element = array.next()) {
      const std::string text(element->text);
      switch (element->type) {
        case JsonArray::Type::kString:
          elements.push_back("s:" + text);
          break;
        case JsonArray::Type::kNumber:
          elements.push_back("n:" + text);
          break;
        default:
          elements.push_back(text);
      }
    }
  } catch (const NotAnArray&) {
    return std::nullopt;
  }
  return elements;
}

/// The elements from the other reader, which formats numbers differently.
std::optional<Texts> read_by_nlohmann(const std::string& json_text) {
  const json document = json::parse(json_text, nullptr, false);
  if (!document.is_array()) return std::nullopt;
  Texts elements;
  for (const json& element : document) {
    if (element.is_structured()) return std::nullopt;
    const std::string text = element.dump();
    elements.push_back(element.is_string()   ? "s:" + element.get<std::string>()
                       : element.is_number() ? "n:" + text
                                             : text);
  }
  return elements;
}

TEST(JsonArray, ReadsWhatAnotherReaderReads) {
  std::istringstream words(
      R"([ ] , " \ \n \" \/ \u00e4 \ud83c\udf0d \ud83c \udf0d \u0000 \u12 \x ä 漢 🌍 "a" "" 7 -12 0 01 1.5 - . +1 true)"
      R"( false null nul [] {} {"a":1})");
  Texts parts(std::istream_iterator<std::string>(words), {});
  for (const char* part : {" ", "\n", "\xff", "\xc3", "\xed\xa0\x80", "\x01", "\xf4\x90\x80\x80", "\xf0\x8f\x80\x80",
                           "\xe0\x9f\x80", "\xc1\x81", "\x7f"}) {
    parts.emplace_back(part);
  }
  std::mt19937_64 random(3);
  int arrays = 0;
  for (int round = 0; round < 200000; ++round) {
    // An array of a few elements, half of them strings. A random part is inserted, removed or replaced somewhere.
    std::string text = "[";
    for (std::uint64_t left = random() % 4; left > 0; --left) {
      const std::string& part = parts[random() % parts.size()];
      text += random() % 2 == 0 ? "\"" + part + parts[random() % parts.size()] + "\"" : part;
      if (left > 1) text += ",";
    }
    text += "]";
    if (random() % 2 == 0) text.insert(random() % (text.size() + 1), parts[random() % parts.size()]);
    if (random() % 4 == 0) text.erase(random() % text.size(), 1);
    const std::optional<Texts> wanted = read_by_nlohmann(text);
    std::optional<Texts> got = read(text);
    for (std::size_t i = 0; got && i < got->size(); ++i) {
      if (std::string& element = (*got)[i]; element.starts_with("n:")) {
        element = "n:" + json::parse(element.substr(2)).dump();
      }
    }
    ASSERT_EQ(got, wanted) << json(text).dump(-1, ' ', true, json::error_handler_t::replace);
    arrays += wanted.has_value();
  }
  EXPECT_GT(arrays, 20000);
}

TEST(JsonArray, GivesNumbersAsTheyAreWritten) {
  EXPECT_EQ(read("[0, -0, -0.0, 1e400, 1E+2, 2e-3, 18446744073709551616, 0.10]"),
            (Texts{"n:0", "n:-0", "n:-0.0", "n:1e400", "n:1E+2", "n:2e-3", "n:18446744073709551616", "n:0.10"}));
  for (const char* wrong : {"[1.]", "[.5]", "[1e]", "[1e+]", "[--1]", "[+1]", "[0x10]", "[1_0]", "[NaN]", "[Infinity]",
                            "[00]", "[-01]", "[1 2]", "[-]"}) {
    EXPECT_EQ(read(wrong), std::nullopt) << wrong;
  }
}

TEST(JsonArray, IsNeverAnObject) {
  for (const char* wrong :
       {"{}", "{1]", "[1}", "{1}", "{\"a\":1}", "[{}]", "[{\"a\":1}]", "[\"a\":1]", "[1,{]", "[}"}) {
    EXPECT_EQ(read(wrong), std::nullopt) << wrong;
  }
}

TEST(JsonArray, EndsAtTheEndOfTheText) {
  EXPECT_EQ(read(" [ ] \r\n\t"), Texts{});
  for (const std::string& wrong :
       {std::string("[1]\0", 4), std::string("\0[1]", 4), std::string("[1\0]", 4), std::string("[\"a\0\"]", 6),
        std::string("\xEF\xBB\xBF[1]"), std::string("[1]]"), std::string("[1] //"), std::string("["),
        std::string("[\""), std::string("[\"\\"), std::string("[\"\\u"), std::string("[\"\\u00"), std::string()}) {
    EXPECT_EQ(read(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace crivo::testing
