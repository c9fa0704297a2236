// Facts about filters and the library, in structures of every version.
#include <cstddef>

#include "c_filters.h"

namespace crivo::testing {
namespace {

TEST(Facts, TellWhatAFilterIs) {
  crivo_options options = options_of("spectral:16", 1000, 0.02);
  options.seed = 99;
  const Filter filter = build(options, present_keys(600));
  const crivo_facts facts = facts_of(filter);
  EXPECT_EQ(facts.size, sizeof facts);
  EXPECT_STREQ(facts.kind, "spectral");
  EXPECT_EQ(facts.capacity, 1000U);
  EXPECT_EQ(facts.keys, 600U);
  EXPECT_EQ(facts.fp_rate, 0.02);
  EXPECT_EQ(facts.seed, 99U);
  EXPECT_EQ(facts.param, 16U);
  EXPECT_GT(facts.k, 1U);
  EXPECT_EQ((facts.units * 2 + 7) / 8 * 8, facts.payload_bytes) << "counters of 16 bits, in words";
  EXPECT_EQ(blob_of(filter).size(), 64 + facts.payload_bytes);
  EXPECT_EQ(facts.can & (CRIVO_CAN_ADD | CRIVO_CAN_COUNT), 0U + CRIVO_CAN_ADD + CRIVO_CAN_COUNT);
  EXPECT_EQ(facts.read_only, 0U);
  const crivo_stats stats = stats_of(filter);
  EXPECT_EQ(stats.bits, facts.units);
  EXPECT_GT(stats.bits_set, 600U);
  EXPECT_LT(stats.current_fp_rate, 0.02);
  EXPECT_NEAR(stats.cardinality, 600, 40);
}

TEST(Facts, AnOlderProgramGetsTheFieldsThatItKnows) {
  const Filter filter = filter_of("blocked", 100);
  const crivo_facts all = facts_of(filter);
  for (std::size_t size = 16; size < sizeof all; size += alignof(crivo_facts)) {
    crivo_facts facts;
    std::memset(&facts, 0x5A, sizeof facts);
    facts.size = size;
    ASSERT_EQ(crivo_get_facts(filter.get(), &facts, nullptr), CRIVO_OK) << size;
    EXPECT_EQ(facts.size, size);
    const auto* bytes = reinterpret_cast<const unsigned char*>(&facts);
    EXPECT_EQ(std::memcmp(bytes + sizeof size, reinterpret_cast<const unsigned char*>(&all) + sizeof size,
                          size - sizeof size),
              0);
    for (std::size_t i = size; i < sizeof facts; ++i) ASSERT_EQ(bytes[i], 0x5A) << "byte " << i << " of size " << size;
  }
}

TEST(Facts, UnknownNewerFieldsAreZero) {
  const Filter filter = filter_of("blocked", 100);
  struct Later {
    crivo_facts today;
    std::uint64_t more[2];
    std::uint64_t behind;
  } later;
  std::memset(&later, 0x5A, sizeof later);
  later.today.size = sizeof later.today + sizeof later.more;
  ASSERT_EQ(crivo_get_facts(filter.get(), &later.today, nullptr), CRIVO_OK);
  EXPECT_STREQ(later.today.kind, "blocked");
  EXPECT_EQ(later.more[0], 0U);
  EXPECT_EQ(later.more[1], 0U);
  EXPECT_EQ(later.behind, 0x5A5A5A5A5A5A5A5AU);
}

TEST(Facts, AnOlderProgramsOptionsHaveDefaultsInTheFieldsThatItDoesNotKnow) {
  crivo_options options = options_of("classic", 100, 0.02);
  std::memset(&options.bits_per_key, 0x5A, sizeof options - offsetof(crivo_options, bits_per_key));
  options.size = offsetof(crivo_options, bits_per_key);
  const crivo_facts facts = facts_of(create(options));
  EXPECT_STREQ(facts.kind, "classic");
  EXPECT_EQ(facts.fp_rate, 0.02);
  EXPECT_EQ(facts.seed, 0U);
}

TEST(Facts, ANewerProgramsOptionsMustNotAskForWhatIsUnknown) {
  struct Later {
    crivo_options today;
    std::uint64_t more = 0;
  } later;
  later.today = options_of("classic", 100);
  later.today.size = sizeof later;
  (void)make(crivo_create, &later.today);
  crivo_filter* filter = nullptr;
  later.more = 1;
  EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, crivo_create, &later.today, &filter),
              HasSubstr("options must be 0 after the "));
}

template <class Struct, class Function, class... Args>
void refuses_sizes(const char* name, Struct& structure, Function function, Args... args) {
  const std::size_t last = sizeof structure + 4;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, sizeof(std::size_t), std::size_t{12}, last,
                                 std::size_t{4104}, SIZE_MAX, SIZE_MAX - 7}) {
    structure.size = size;
    EXPECT_EQ(failure(CRIVO_BAD_ARGUMENT, function, args...),
              std::string(name) + ".size must be sizeof the structure, " + std::to_string(sizeof structure) +
                  " in this version, got " + std::to_string(size));
  }
}

TEST(Facts, RefuseASizeThatNoVersionHas) {
  const Filter filter = filter_of("blocked", 10);
  crivo_facts facts{};
  refuses_sizes("facts", facts, crivo_get_facts, filter.get(), &facts);
  crivo_stats stats{};
  refuses_sizes("stats", stats, crivo_get_stats, filter.get(), &stats);
  crivo_similarity alike{};
  refuses_sizes("similarity", alike, crivo_compare, filter.get(), filter.get(), &alike);
  crivo_options options = options_of("blocked", 10);
  crivo_filter* made = nullptr;
  refuses_sizes("options", options, crivo_create, &options, &made);
  crivo_limits limits{};
  const Blob blob = blob_of(filter);
  refuses_sizes("limits", limits, crivo_read, blob.data(), blob.size(), &limits, &made);
}

TEST(Library, TellsItsVersion) {
  EXPECT_EQ(crivo_version(), std::to_string(CRIVO_VERSION_MAJOR) + "." + std::to_string(CRIVO_VERSION_MINOR) + "." +
                                 std::to_string(CRIVO_VERSION_PATCH));
  EXPECT_THAT(std::string(crivo_isa()), ::testing::AnyOf("scalar", "avx2", "avx512", "neon"));
}

TEST(Library, TellsEveryKindAndWhatItCan) {
  const std::vector<std::string> all = kinds_that_can(0);
  EXPECT_THAT(all, ::testing::ElementsAre("classic", "blocked", "counting", "spectral", "scalable", "growing", "window",
                                          "cuckoo", "hash_compaction", "ribbon", "range", "map", "exact"));
  EXPECT_EQ(crivo_kind_can(all.size()), 0U);
  EXPECT_EQ(crivo_kind_name(SIZE_MAX), nullptr);
  EXPECT_EQ(crivo_kind_can(SIZE_MAX), 0U);
  for (std::size_t i = 0; crivo_kind_name(i) != nullptr; ++i) {
    const crivo_facts facts = facts_of(filter_of(crivo_kind_name(i), 10));
    EXPECT_STREQ(facts.kind, crivo_kind_name(i));
    EXPECT_EQ(facts.can, crivo_kind_can(i));
  }
}

TEST(Library, NamesEveryStatus) {
  std::vector<std::string> names;
  for (crivo_status status = CRIVO_OK; status <= CRIVO_SYSTEM; ++status) names.emplace_back(crivo_status_name(status));
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("unknown status")));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  for (const crivo_status status : {-1, CRIVO_SYSTEM + 1, INT32_MAX, INT32_MIN}) {
    EXPECT_STREQ(crivo_status_name(status), "unknown status");
  }
}

}  // namespace
}  // namespace crivo::testing
