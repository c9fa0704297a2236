// What make_row() asks of a kind at compile time.
#include "kinds/kind.h"

#include <gtest/gtest.h>

namespace crivo {
namespace {

/// What every kind needs, without a word of which bytes it reads.
struct Bare {
  static constexpr Kind kKind = Kind::kClassic;
  static constexpr std::string_view kName = "bare";
  static constexpr const char* kUnitName = "number of bits";
  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Probe probe(const Shape& shape) noexcept;
  static Stats stats(const View& view) noexcept;
};
struct Validates : Bare {
  static Result<void> validate(const View& view);
};
struct Sound : Validates {
  static constexpr bool kOnlyPaddingIsValidated = true;
  static bool admit_question(const View& view, std::uint64_t hash, ByteGate& gate);
};
struct Undecided : Sound {
  static constexpr bool kEveryPayloadIsValid = true;
};
struct NeverValidated : Bare {
  static constexpr bool kOnlyPaddingIsValidated = true;
  static bool admit_question(const View& view, std::uint64_t hash, ByteGate& gate);
};
struct OpensBlindly : Validates {
  static bool admit_question(const View& view, std::uint64_t hash, ByteGate& gate);
};
struct AnswersBlindly : Validates {
  static constexpr bool kOnlyPaddingIsValidated = true;
};

TEST(FilterKind, MustSayWhichBytesAreValidAndRead) {
  EXPECT_TRUE(FilterKind<Sound>);
  EXPECT_FALSE(FilterKind<Undecided>) << "a validate() that would never be called";
  EXPECT_FALSE(FilterKind<NeverValidated>);
  EXPECT_FALSE(FilterKind<OpensBlindly>);
  EXPECT_FALSE(FilterKind<AnswersBlindly>);
}

}  // namespace
}  // namespace crivo
