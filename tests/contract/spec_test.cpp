// The options that only some kinds have, and the names users write them with.
#include "every_kind.h"

namespace crivo::testing {
namespace {

FilterSpec chosen(const char* name) {
  FilterSpec spec{.capacity = 1000};
  if (auto set = choose_kind(spec, name); !set) throw std::runtime_error(set.error().message);
  return spec;
}

TEST(Spec, EveryKindIsChosenByItsName) {
  for (const KindInfo& info : kinds()) {
    const FilterSpec spec = chosen(std::string(info.name).c_str());
    EXPECT_EQ(spec.kind, info.kind);
    EXPECT_EQ(spec.capacity, 1000U) << "the rest of the spec stays";
  }
}

TEST(Spec, ANameAloneStandsForTheDefault) {
  FilterSpec spec = chosen("spectral:16");
  ASSERT_TRUE(choose_kind(spec, "spectral"));
  EXPECT_EQ(spec.counter_bits, 8U);
}

TEST(Spec, OptionsFollowAColon) {
  EXPECT_EQ(chosen("spectral:16").counter_bits, 16U);
  EXPECT_EQ(chosen("spectral:16").kind, Kind::kSpectral);
  EXPECT_EQ(chosen("scalable:4").growth, 4U);
  EXPECT_EQ(chosen("scalable:4").kind, Kind::kScalable);
  EXPECT_EQ(chosen("ribbon:32").ribbon_width, 32U);
  EXPECT_EQ(chosen("ribbon:32").kind, Kind::kRibbon);
  EXPECT_EQ(chosen("compressed").kind, Kind::kClassic);
  EXPECT_TRUE(chosen("compressed").smallest_blob);
  EXPECT_TRUE(chosen("classic:compressed").smallest_blob);
}

TEST(Spec, ABadNameIsRefusedAndNamesWhatThereIs) {
  for (const char* name :
       {"", "bloom", "spectral:", "spectral:x", "spectral:0", "classic:1", "spectral:16x", "spectral:-1", "spectral: 8",
        "scalable:99999999999", "blocked:2", "compressed:2", ":4", "SPECTRAL"}) {
    FilterSpec spec;
    const auto set = choose_kind(spec, name);
    ASSERT_FALSE(set) << name;
    EXPECT_EQ(set.error().code, ErrorCode::kBadArgument);
    EXPECT_THAT(set.error().message, ::testing::StartsWith("kind "));
    EXPECT_THAT(set.error().message, ::testing::HasSubstr("got '"));
  }
}

TEST(Spec, ABadKindIsToldFromABadOption) {
  const auto message = [](const char* text) {
    FilterSpec spec;
    return choose_kind(spec, text).error().message;
  };
  for (const char* name : {"", "bloom:4", "compressed:2"}) {
    EXPECT_THAT(message(name), ::testing::StartsWith("kind must be one of ")) << name;
  }
  EXPECT_EQ(message("blocked:2"), "kind blocked must stand without an option, got 'blocked:2'");
  EXPECT_THAT(message("spectral:x"), ::testing::StartsWith("kind spectral must stand alone or as spectral:<"));
}

TEST(Spec, AKindAndItsOptionReadBackAsTheyAreWritten) {
  for (const char* text : {"classic", "compressed", "blocked", "spectral:4", "spectral:8", "spectral:32", "scalable:2",
                           "scalable:16", "ribbon", "ribbon:32"}) {
    EXPECT_EQ(kind_text(chosen(text)), text);
  }
  EXPECT_EQ(kind_text(chosen("spectral")), "spectral:8") << "the default, written out";
  EXPECT_EQ(kind_text(chosen("scalable")), "scalable:2");
  EXPECT_EQ(kind_text(chosen("ribbon:64")), "ribbon") << "two widths, of which one has no name";
}

TEST(Spec, TheChoicesNameEveryKindAndItsOption) {
  for (const KindInfo& info : kinds()) {
    EXPECT_THAT(kind_choices(), ::testing::HasSubstr(std::string(info.name)));
    EXPECT_THAT(kind_choices(), ::testing::HasSubstr(std::string(info.option)));
  }
}

TEST(Spec, CountersAreOfFourWidths) {
  for (const unsigned bits : {4U, 8U, 16U, 32U}) {
    FilterSpec spec = chosen("spectral");
    spec.counter_bits = bits;
    const AnyFilter filter = build_filter(spec, 1000);
    EXPECT_EQ(filter.shape().param, bits);
    EXPECT_EQ(count_found(filter.ref(), present_hashes(1000, 0)), 1000U);
  }
  for (const unsigned bits : {1U, 5U, 64U, 65540U}) {
    FilterSpec spec = chosen("spectral");
    spec.counter_bits = bits;
    EXPECT_THAT(message_of(AnyFilter::create(spec)), ::testing::EndsWith("got " + std::to_string(bits)));
  }
}

TEST(Spec, RibbonsAreOfTwoWidths) {
  for (const unsigned width : {64U, 32U}) {
    FilterSpec spec = chosen("ribbon");
    spec.ribbon_width = width;
    const AnyFilter filter = build_filter(spec, 1000);
    EXPECT_EQ(filter.shape().param >> 15, width == 32 ? 1 : 0);
    EXPECT_EQ(count_found(filter.ref(), present_hashes(1000, 0)), 1000U);
  }
  for (const unsigned width : {1U, 16U, 33U, 128U}) {
    FilterSpec spec = chosen("ribbon");
    spec.ribbon_width = width;
    EXPECT_EQ(message_of(AnyFilter::build(spec, std::span<const std::uint64_t>())),
              "ribbon width must be 64 or 32, got " + std::to_string(width));
  }
}

TEST(Spec, GrowthLiesBetweenTwoAndSixteen) {
  for (const unsigned growth : {2U, 16U}) {
    FilterSpec spec = chosen("scalable");
    spec.growth = growth;
    spec.capacity = 10;
    const AnyFilter filter = build_filter(spec, 1000);
    EXPECT_EQ(count_found(filter.ref(), present_hashes(1000, 0)), 1000U);
  }
  for (const unsigned growth : {1U, 17U, 65538U}) {
    FilterSpec spec = chosen("scalable");
    spec.growth = growth;
    EXPECT_THAT(message_of(AnyFilter::create(spec)), ::testing::EndsWith("got " + std::to_string(growth)));
  }
}

// What a filter that grows is for: a hundred times its capacity, and still at its promised rate.
TEST(Spec, AGrowingKindKeepsItsRateFarBeyondItsCapacity) {
  for (const KindInfo& info : kinds_that(&Capabilities::grow)) {
    FilterSpec spec = chosen(std::string(info.name).c_str());
    const AnyFilter filter = build_filter(spec, 100'000);
    EXPECT_EQ(count_found(filter.ref(), present_hashes(100'000, 0)), 100'000U);
    // One in a million runs exceeds the mean by 4.75 standard deviations: 10,000 + 4.75 sqrt(9,900) of a million.
    EXPECT_LE(count_found(filter.ref(), absent_hashes(1'000'000, 0)), 10'472U);
  }
}

}  // namespace
}  // namespace crivo::testing
