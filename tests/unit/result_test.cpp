// Result: a value or an error, which are moved and copied with it.
#include "crivo/result.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace crivo {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> value = 42;
  EXPECT_TRUE(value.has_value());
  EXPECT_EQ(*value, 42);

  const Result<int> failure = Error{ErrorCode::kFull, "no room"};
  EXPECT_FALSE(failure.has_value());
  EXPECT_EQ(failure.error().code, ErrorCode::kFull);
  EXPECT_EQ(failure.error().message, "no room");
}

TEST(Result, OfVoidSucceedsByDefault) {
  const Result<void> success;
  EXPECT_TRUE(success);
  const Result<void> failure = Error{ErrorCode::kCorrupt, "bad"};
  EXPECT_FALSE(failure);
  EXPECT_EQ(failure.error().message, "bad");
}

// `if (file.may_contain(key))` would be true for every key that was looked up, and `if (filter.count(key))` too.
TEST(Result, WithAnAnswerIsNoCondition) {
  EXPECT_FALSE((std::is_constructible_v<bool, Result<bool>>));
  EXPECT_FALSE((std::is_constructible_v<bool, Result<std::uint64_t>>));
  EXPECT_FALSE((std::is_constructible_v<bool, Result<double>>));
  EXPECT_TRUE((std::is_constructible_v<bool, Result<std::string>>));
  const Result<bool> no = false;
  EXPECT_TRUE(no.has_value());
  EXPECT_FALSE(*no);
}

TEST(Result, ThrowsIfItIsAskedForTheWrongOne) {
  const Result<int> value = 42;
  EXPECT_THROW((void)value.error(), BadResult);
  const Result<int> failure = Error{ErrorCode::kFull, "no room"};
  try {
    (void)*failure;
    FAIL() << "an error has no value";
  } catch (const BadResult& thrown) {
    EXPECT_STREQ(thrown.what(), "value of a failed Result was used: no room");
  }
  EXPECT_THROW((void)Result<std::string>(failure.error())->size(), BadResult);
  EXPECT_THROW((void)Result<void>().error(), BadResult);
}

}  // namespace
}  // namespace crivo
