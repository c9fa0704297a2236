// The options that only some kinds have, and the names of the kinds.
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
    EXPECT_EQ(kind_name(info.kind), info.name);
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
        "scalable:99999999999", "blocked:2", "compressed:2", ":4", "SPECTRAL", "Blocked", "blocked "}) {
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
  for (const char* name : {"", "bloom", "bloom:4", "Blocked", "blocked ", "compressed:2"}) {
    EXPECT_THAT(message(name), ::testing::StartsWith("kind must be one of classic, ")) << name;
  }
  EXPECT_EQ(message("blocked:2"), "kind blocked must have no option, got 'blocked:2'");
  EXPECT_THAT(message("spectral:x"), ::testing::StartsWith("kind spectral must be written alone or as spectral:<"));
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

struct Option {
  const char* kind;
  unsigned FilterSpec::*field;
  std::vector<unsigned> good;
  std::vector<unsigned> bad;
  const char* rule;  // the end of the message, before the value
};

TEST(Spec, AnOptionHasItsValuesAndNoOther) {
  for (const Option& option :
       {Option{"spectral",
               &FilterSpec::counter_bits,
               {4, 8, 16, 32},
               {1, 5, 64, 65540},
               "counter bits must be one of 4, 8, 16, 32"},
        Option{"ribbon", &FilterSpec::ribbon_width, {64, 32}, {1, 16, 33, 128}, "ribbon width must be 64 or 32"},
        Option{"scalable", &FilterSpec::growth, {2, 16}, {1, 17, 65538}, "growth must be in [2, 16]"}}) {
    FilterSpec spec = chosen(option.kind);
    spec.capacity = spec.kind == Kind::kScalable ? 10 : 1000;
    for (const unsigned value : option.good) {
      spec.*option.field = value;
      const AnyFilter filter = build_filter(spec, 1000);
      EXPECT_EQ(count_found(filter.ref(), present_hashes(1000, 0)), 1000U);
      const unsigned param = filter.shape().param;
      EXPECT_TRUE(spec.kind != Kind::kSpectral || param == value) << param;
      EXPECT_TRUE(spec.kind != Kind::kRibbon || param >> 15 == (value == 32 ? 1U : 0U)) << param;
    }
    for (const unsigned value : option.bad) {
      spec.*option.field = value;
      EXPECT_THAT(message_of(AnyFilter::build(spec, std::span<const std::uint64_t>())),
                  EndsWith(std::string(option.rule) + ", got " + std::to_string(value)));
    }
  }
}

}  // namespace
}  // namespace crivo::testing
