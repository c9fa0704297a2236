// Tests what make_row() checks of a kind at compile time, and that the rows that it makes are consistent.
#include "kinds/kind.h"

#include <gtest/gtest.h>

#include "kinds/registry.h"

namespace crivo {
namespace {

struct Rates {
  static double predicted_fp_rate(const Shape& shape, double keys) noexcept;
};
struct Adds {
  static Result<void> add(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added);
};
struct Grows {
  static Result<void> add_and_grow(Store store, std::span<const std::uint64_t> hashes, std::uint64_t& added,
                                   std::uint64_t max_bytes);
};
struct Counts {
  static std::uint64_t count(const View& view, std::uint64_t hash) noexcept;
};
struct HasOption {
  static constexpr std::string_view kOption = "width";
};
struct Validates {
  static Result<void> validate(const View& view);
};
struct AnyIsValid {
  static constexpr bool kEveryPayloadIsValid = true;
};
struct OpensByPadding {
  static constexpr bool kOnlyPaddingIsValidated = true;
};
struct AdmitsQuestions {
  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate);
};

/// A kind assembled from these parts, and from defaults for the other requirements.
template <class... Parts>
struct Of : Parts... {
  static constexpr Kind kKind = Kind::kClassic;
  static constexpr std::string_view kName = "made";
  static constexpr const char* kUnitName = "number of bits";
  static Result<Shape> plan(const FilterSpec& spec);
  static Result<std::uint64_t> payload_bytes(const Shape& shape);
  static Probe probe(const Shape& shape) noexcept;
  static Stats stats(const View& view) noexcept;
};
template <class... Parts>
constexpr bool kIsKind = FilterKind<Of<Parts...>>;
template <class... Parts>
constexpr bool kReadsItsBytes = kIsKind<Rates, Adds, Parts...>;
template <class... Parts>
constexpr bool kHasItsParts = kIsKind<Validates, OpensByPadding, AdmitsQuestions, Parts...>;

TEST(FilterKind, MustSayWhichBytesAreValidAndRead) {
  EXPECT_TRUE((kReadsItsBytes<Validates, OpensByPadding, AdmitsQuestions>));
  EXPECT_FALSE((kReadsItsBytes<Validates, OpensByPadding, AdmitsQuestions, AnyIsValid>)) << "a validate() without use";
  EXPECT_FALSE((kReadsItsBytes<OpensByPadding, AdmitsQuestions>)) << "never validated";
  EXPECT_FALSE((kReadsItsBytes<Validates, AdmitsQuestions>)) << "opens blindly";
  EXPECT_FALSE((kReadsItsBytes<Validates, OpensByPadding>)) << "answers blindly";
}

TEST(FilterKind, MustHaveARateAndOneWayInAndWhatBelongsTogether) {
  EXPECT_TRUE((kHasItsParts<Rates, Adds>));
  EXPECT_TRUE((kHasItsParts<Rates, Grows>));
  EXPECT_FALSE((kHasItsParts<Adds>)) << "no rate";
  EXPECT_FALSE((kHasItsParts<Rates>)) << "no way in";
  EXPECT_FALSE((kHasItsParts<Rates, Adds, Grows>));
  EXPECT_FALSE((kHasItsParts<Rates, Adds, Counts>)) << "no add_times()";
  EXPECT_FALSE((kHasItsParts<Rates, Adds, HasOption>)) << "nobody reads or prints it";
}

TEST(EveryKind, TellsOfRangesWhereItSaysSo) {
  for (const KindInfo& info : kind_infos()) {
    const KindRow& row = *find_kind(info.kind);
    const Probe probe = row.probe(*row.plan({.kind = info.kind, .capacity = 1000}));
    EXPECT_EQ(probe.contains_range != nullptr, info.can.range) << info.name;
  }
}

// The RocksDB plugin relies on this: no Crivo block has the size of a built-in filter
// (plugins/rocksdb/policy/reader.cpp).
TEST(EveryKind, HasPayloadsOfWholeWords) {
  for (const KindInfo& info : kind_infos()) {
    const KindRow& row = *find_kind(info.kind);
    for (const double fp_rate : {0.4, 0.01, 1e-9}) {
      for (std::uint64_t keys = 1; keys < 3000; keys += 1 + keys / 32) {
        const std::uint64_t bytes =
            *row.payload_bytes(*row.plan({.kind = info.kind, .capacity = keys, .fp_rate = fp_rate}));
        ASSERT_TRUE(bytes != 0 && bytes % 8 == 0) << info.name << " of " << keys << ": " << bytes;
      }
    }
  }
}

}  // namespace
}  // namespace crivo
