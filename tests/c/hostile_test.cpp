// What no caller should hand in: each function returns a status, writes nothing, and the process lives. Addresses that
// lead elsewhere (freed memory, arrays shorter than was said) cannot be seen, and are not promised anything.
#include <cmath>
#include <functional>
#include <limits>

#include "c_filters.h"

namespace crivo::testing {
namespace {

/// An address that is right in all but its alignment. Nothing is behind it that may be touched.
template <class T>
T* misaligned() {
  return reinterpret_cast<T*>(std::uintptr_t{0x1001});
}

/// Sound arguments for every function, of which each test spoils one.
struct Sound {
  Filter filter = filter_of("counting", 100);
  Filter other = filter_of("counting", 100);
  Builder builder = make_builder();
  crivo_options options = options_of("blocked", 100);
  KeyList list = present_keys(10);
  crivo_keys keys = list.keys();
  std::vector<std::uint64_t> hashes = std::vector<std::uint64_t>(10, 5);
  std::vector<std::uint8_t> hits = std::vector<std::uint8_t>(10, 9);
  crivo_facts facts{sizeof(crivo_facts), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  crivo_stats stats{sizeof(crivo_stats), {}, {}, {}, {}};
  crivo_similarity similarity{sizeof(crivo_similarity), {}, {}, {}, {}, {}};
  crivo_limits limits{sizeof(crivo_limits), {}};
  Blob blob = blob_of(filter);
  std::uint64_t number = 77;
  crivo_filter* made = nullptr;
  crivo_builder* made_builder = nullptr;

  static Builder make_builder() {
    crivo_builder* builder = nullptr;
    EXPECT_EQ(crivo_builder_create(nullptr, &builder, nullptr), CRIVO_OK);
    return Builder(builder);
  }
};

using Call = std::function<crivo_status(crivo_error*)>;

/// One argument of one function, replaced by what this gets.
struct Argument {
  const char* name;
  std::size_t alignment;  // 1: it cannot be misaligned
  std::function<crivo_status(void*, crivo_error*)> call;
};

std::vector<Argument> every_pointer(Sound& s) {
  crivo_filter* f = s.filter.get();
  crivo_builder* b = s.builder.get();
  const auto filter = [](void* p) { return static_cast<crivo_filter*>(p); };
  const auto builder = [](void* p) { return static_cast<crivo_builder*>(p); };
  const auto out = [](void* p) { return static_cast<crivo_filter**>(p); };
  const auto keys = [](void* p) { return static_cast<const crivo_keys*>(p); };
  const auto u64 = [](void* p) { return static_cast<std::uint64_t*>(p); };
  const auto u8 = [](void* p) { return static_cast<std::uint8_t*>(p); };
  return {
      {"hash_keys keys", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_hash_keys(keys(p), 0, s.hashes.data(), e); }},
      {"hash_keys hashes", 8, [=, &s](void* p, crivo_error* e) { return crivo_hash_keys(&s.keys, 0, u64(p), e); }},
      {"create options", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_create(static_cast<crivo_options*>(p), &s.made, e); }},
      {"create filter", 8, [=, &s](void* p, crivo_error* e) { return crivo_create(&s.options, out(p), e); }},
      {"build keys", 8, [=, &s](void* p, crivo_error* e) { return crivo_build(&s.options, keys(p), &s.made, e); }},
      {"build filter", 8, [=, &s](void* p, crivo_error* e) { return crivo_build(&s.options, &s.keys, out(p), e); }},
      {"build_from_hashes hashes", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_build_from_hashes(&s.options, u64(p), 10, &s.made, e); }},
      {"build_from_hashes filter", 8,
       [=, &s](void* p, crivo_error* e) {
         return crivo_build_from_hashes(&s.options, s.hashes.data(), 10, out(p), e);
       }},
      {"copy filter", 8, [=, &s](void* p, crivo_error* e) { return crivo_copy(filter(p), &s.made, e); }},
      {"copy copy", 8, [=](void* p, crivo_error* e) { return crivo_copy(f, out(p), e); }},
      {"drop_counts filter", 8, [=, &s](void* p, crivo_error* e) { return crivo_drop_counts(filter(p), &s.made, e); }},
      {"drop_counts blocked", 8, [=](void* p, crivo_error* e) { return crivo_drop_counts(f, out(p), e); }},
      {"builder_create builder", 8,
       [=, &s](void* p, crivo_error* e) {
         return crivo_builder_create(&s.options, static_cast<crivo_builder**>(p), e);
       }},
      {"builder_add builder", 8, [=](void* p, crivo_error* e) { return crivo_builder_add(builder(p), "a", 1, e); }},
      {"builder_add key", 1, [=](void* p, crivo_error* e) { return crivo_builder_add(b, p, 1, e); }},
      {"builder_add_keys builder", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_builder_add_keys(builder(p), &s.keys, e); }},
      {"builder_add_keys keys", 8, [=](void* p, crivo_error* e) { return crivo_builder_add_keys(b, keys(p), e); }},
      {"builder_add_hashes builder", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_builder_add_hashes(builder(p), s.hashes.data(), 10, e); }},
      {"builder_add_hashes hashes", 8,
       [=](void* p, crivo_error* e) { return crivo_builder_add_hashes(b, u64(p), 10, e); }},
      {"builder_finish builder", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_builder_finish(builder(p), &s.made, e); }},
      {"builder_finish filter", 8, [=](void* p, crivo_error* e) { return crivo_builder_finish(b, out(p), e); }},
      {"contains filter", 8, [=](void* p, crivo_error* e) { return -crivo_contains(filter(p), "a", 1, e); }},
      {"contains key", 1, [=](void* p, crivo_error* e) { return -crivo_contains(f, p, 1, e); }},
      {"contains_hash filter", 8, [=](void* p, crivo_error* e) { return -crivo_contains_hash(filter(p), 1, e); }},
      {"contains_keys filter", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_contains_keys(filter(p), &s.keys, s.hits.data(), e); }},
      {"contains_keys keys", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_contains_keys(f, keys(p), s.hits.data(), e); }},
      {"contains_keys hits", 1, [=, &s](void* p, crivo_error* e) { return crivo_contains_keys(f, &s.keys, u8(p), e); }},
      {"contains_hashes filter", 8,
       [=, &s](void* p, crivo_error* e) {
         return crivo_contains_hashes(filter(p), s.hashes.data(), 10, s.hits.data(), e);
       }},
      {"contains_hashes hashes", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_contains_hashes(f, u64(p), 10, s.hits.data(), e); }},
      {"contains_hashes hits", 1,
       [=, &s](void* p, crivo_error* e) { return crivo_contains_hashes(f, s.hashes.data(), 10, u8(p), e); }},
      {"count filter", 8, [=, &s](void* p, crivo_error* e) { return crivo_count(filter(p), "a", 1, &s.number, e); }},
      {"count key", 1, [=, &s](void* p, crivo_error* e) { return crivo_count(f, p, 1, &s.number, e); }},
      {"count count", 8, [=](void* p, crivo_error* e) { return crivo_count(f, "a", 1, u64(p), e); }},
      {"add filter", 8, [=](void* p, crivo_error* e) { return crivo_add(filter(p), "a", 1, e); }},
      {"add key", 1, [=](void* p, crivo_error* e) { return crivo_add(f, p, 1, e); }},
      {"add_keys filter", 8, [=, &s](void* p, crivo_error* e) { return crivo_add_keys(filter(p), &s.keys, e); }},
      {"add_keys keys", 8, [=](void* p, crivo_error* e) { return crivo_add_keys(f, keys(p), e); }},
      {"add_hashes filter", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_add_hashes(filter(p), s.hashes.data(), 10, e); }},
      {"add_hashes hashes", 8, [=](void* p, crivo_error* e) { return crivo_add_hashes(f, u64(p), 10, e); }},
      {"add_times filter", 8, [=](void* p, crivo_error* e) { return crivo_add_times(filter(p), "a", 1, 2, e); }},
      {"add_times key", 1, [=](void* p, crivo_error* e) { return crivo_add_times(f, p, 1, 2, e); }},
      {"remove filter", 8, [=](void* p, crivo_error* e) { return crivo_remove(filter(p), "a", 1, e); }},
      {"remove key", 1, [=](void* p, crivo_error* e) { return crivo_remove(f, p, 1, e); }},
      {"clear filter", 8, [=](void* p, crivo_error* e) { return crivo_clear(filter(p), e); }},
      {"unite filter", 8, [=, &s](void* p, crivo_error* e) { return crivo_unite(filter(p), s.other.get(), e); }},
      {"unite other", 8, [=](void* p, crivo_error* e) { return crivo_unite(f, filter(p), e); }},
      {"intersect filter", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_intersect(filter(p), s.other.get(), e); }},
      {"intersect other", 8, [=](void* p, crivo_error* e) { return crivo_intersect(f, filter(p), e); }},
      {"get_facts filter", 8, [=, &s](void* p, crivo_error* e) { return crivo_get_facts(filter(p), &s.facts, e); }},
      {"get_facts facts", 8,
       [=](void* p, crivo_error* e) { return crivo_get_facts(f, static_cast<crivo_facts*>(p), e); }},
      {"get_stats filter", 8, [=, &s](void* p, crivo_error* e) { return crivo_get_stats(filter(p), &s.stats, e); }},
      {"get_stats stats", 8,
       [=](void* p, crivo_error* e) { return crivo_get_stats(f, static_cast<crivo_stats*>(p), e); }},
      {"compare first", 8, [=, &s](void* p, crivo_error* e) { return crivo_compare(filter(p), f, &s.similarity, e); }},
      {"compare second", 8, [=, &s](void* p, crivo_error* e) { return crivo_compare(f, filter(p), &s.similarity, e); }},
      {"compare similarity", 8,
       [=, &s](void* p, crivo_error* e) {
         return crivo_compare(f, s.other.get(), static_cast<crivo_similarity*>(p), e);
       }},
      {"write filter", 8,
       [=, &s](void* p, crivo_error* e) {
         return crivo_write(filter(p), 0, 0, s.blob.data(), s.blob.size(), &s.number, e);
       }},
      {"write buffer", 1, [=, &s](void* p, crivo_error* e) { return crivo_write(f, 0, 0, p, 10'000, &s.number, e); }},
      {"write written", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_write(f, 0, 0, s.blob.data(), s.blob.size(), u64(p), e); }},
      {"read blob", 1, [=, &s](void* p, crivo_error* e) { return crivo_read(p, 100, &s.limits, &s.made, e); }},
      {"read filter", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_read(s.blob.data(), s.blob.size(), &s.limits, out(p), e); }},
      {"borrow blob", 1, [=, &s](void* p, crivo_error* e) { return crivo_borrow(p, 100, &s.limits, &s.made, e); }},
      {"borrow filter", 8,
       [=, &s](void* p, crivo_error* e) { return crivo_borrow(s.blob.data(), s.blob.size(), &s.limits, out(p), e); }},
  };
}

TEST(Hostile, EveryPointerIsRefusedWhereItIsNullOrNotAligned) {
  Sound s;
  const Blob before = blob_of(s.filter);
  for (const Argument& argument : every_pointer(s)) {
    SCOPED_TRACE(argument.name);
    const auto at = std::string_view(argument.name).rfind(' ') + 1;
    const std::string name = argument.name + at;
    const auto refused = failure(CRIVO_BAD_ARGUMENT, [&](crivo_error* e) { return argument.call(nullptr, e); });
    EXPECT_THAT(refused, ::testing::HasSubstr(name + " must not be NULL"));
    if (argument.alignment == 1) continue;
    const auto crooked =
        failure(CRIVO_BAD_ARGUMENT, [&](crivo_error* e) { return argument.call(misaligned<char>(), e); });
    EXPECT_THAT(crooked, ::testing::HasSubstr(name + " must be aligned to "));
  }
  EXPECT_EQ(blob_of(s.filter), before);
  EXPECT_EQ(s.made, nullptr);
  EXPECT_EQ(s.number, 77U);
  EXPECT_EQ(crivo_builder_keys(s.builder.get()), 0U);
  EXPECT_EQ(s.hits, std::vector<std::uint8_t>(10, 9));
}

TEST(Hostile, FunctionsWithoutAStatusTakeAnyHandle) {
  for (auto* filter : {static_cast<crivo_filter*>(nullptr), misaligned<crivo_filter>()}) {
    crivo_free(filter);
    EXPECT_EQ(crivo_blob_bound(filter), 0U);
  }
  for (auto* builder : {static_cast<crivo_builder*>(nullptr), misaligned<crivo_builder>()}) {
    crivo_builder_free(builder);
    EXPECT_EQ(crivo_builder_keys(builder), 0U);
  }
  EXPECT_EQ(crivo_hash_key("a", SIZE_MAX, 0), crivo_hash_key(nullptr, 0, 0));
}

TEST(Hostile, AnErrorThatIsNotAlignedIsLeftAlone) {
  EXPECT_EQ(crivo_clear(nullptr, misaligned<crivo_error>()), CRIVO_BAD_ARGUMENT);
}

TEST(Hostile, LengthsThatNoObjectHasAreRefused) {
  Sound s;
  crivo_filter* f = s.filter.get();
  const auto refuses = [](auto&& call) { failure(CRIVO_BAD_ARGUMENT, call); };
  for (const std::uint64_t huge : {std::uint64_t{1} << 63, UINT64_MAX, UINT64_MAX - 7}) {
    refuses([&](crivo_error* e) { return -crivo_contains(f, "a", huge, e); });
    refuses([&](crivo_error* e) { return crivo_count(f, "a", huge, &s.number, e); });
    refuses([&](crivo_error* e) { return crivo_add(f, "a", huge, e); });
    refuses([&](crivo_error* e) { return crivo_add_times(f, "a", huge, 1, e); });
    refuses([&](crivo_error* e) { return crivo_remove(f, "a", huge, e); });
    refuses([&](crivo_error* e) { return crivo_builder_add(s.builder.get(), "a", huge, e); });
    refuses([&](crivo_error* e) { return crivo_read("a", huge, nullptr, &s.made, e); });
    refuses([&](crivo_error* e) { return crivo_borrow("a", huge, nullptr, &s.made, e); });
    refuses([&](crivo_error* e) { return crivo_write(f, 0, 0, s.blob.data(), huge, &s.number, e); });
  }
  for (const std::uint64_t huge : {std::uint64_t{1} << 60, std::uint64_t{1} << 61, UINT64_MAX}) {
    refuses([&](crivo_error* e) { return crivo_contains_hashes(f, s.hashes.data(), huge, s.hits.data(), e); });
    refuses([&](crivo_error* e) { return crivo_add_hashes(f, s.hashes.data(), huge, e); });
    refuses([&](crivo_error* e) { return crivo_builder_add_hashes(s.builder.get(), s.hashes.data(), huge, e); });
    refuses([&](crivo_error* e) { return crivo_build_from_hashes(nullptr, s.hashes.data(), huge, &s.made, e); });
  }
  EXPECT_EQ(s.made, nullptr);
}

/// Keys that are no keys are refused by every function that takes them.
void expect_bad_keys(const crivo_keys& keys, const std::string& part_of_message) {
  Sound s;
  const Call calls[] = {
      [&](crivo_error* e) { return crivo_hash_keys(&keys, 0, s.hashes.data(), e); },
      [&](crivo_error* e) { return crivo_build(nullptr, &keys, &s.made, e); },
      [&](crivo_error* e) { return crivo_builder_add_keys(s.builder.get(), &keys, e); },
      [&](crivo_error* e) { return crivo_contains_keys(s.filter.get(), &keys, s.hits.data(), e); },
      [&](crivo_error* e) { return crivo_add_keys(s.filter.get(), &keys, e); },
  };
  for (const Call& call : calls) {
    EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, call), ::testing::HasSubstr(part_of_message));
  }
  EXPECT_EQ(s.made, nullptr);
  EXPECT_EQ(crivo_builder_keys(s.builder.get()), 0U);
}

TEST(Hostile, KeysMustLieWithinTheirBytes) {
  const char bytes[] = "0123456789";
  const std::uint64_t falling[] = {0, 5, 5, 4, 9};
  expect_bad_keys({bytes, 10, falling, 0, 4}, "keys.offsets must never fall, got 5 before 4");
  const std::uint64_t dipping[] = {0, 5, 3, 10, 12};  // the last is not among the offsets
  expect_bad_keys({bytes, 10, dipping, 0, 3}, "keys.offsets must never fall, got 5 before 3");
  const std::uint64_t high[] = {0, UINT64_MAX, 0};
  expect_bad_keys({bytes, 10, high, 0, 1}, "keys.offsets must be at most bytes_size, 10, got 18446744073709551615");
  const std::uint64_t wrapping[] = {0, UINT64_MAX, 3, 9};
  expect_bad_keys({bytes, 10, wrapping, 0, 3}, "keys.offsets must never fall");
  const std::uint64_t beyond[] = {0, 5, 11};
  expect_bad_keys({bytes, 10, beyond, 0, 2}, "keys.offsets must be at most bytes_size, 10, got 11");
  const std::uint64_t fine[] = {0, 5, 10};
  expect_bad_keys({nullptr, 10, fine, 0, 2}, "keys.bytes must not be NULL");
  expect_bad_keys({nullptr, 0, fine, 0, 2}, "keys.offsets must be at most bytes_size, 0, got 10");
  expect_bad_keys({bytes, 10, misaligned<std::uint64_t>(), 0, 2}, "keys.offsets must be aligned to ");
  expect_bad_keys({bytes, UINT64_MAX, fine, 0, 2}, "keys.bytes must have at most ");
  for (const std::uint64_t count : {std::uint64_t{1} << 60, (std::uint64_t{1} << 60) - 1, UINT64_MAX}) {
    expect_bad_keys({bytes, 10, fine, 0, count}, "keys.count must be at most ");
    expect_bad_keys({bytes, 10, nullptr, 1, count}, "keys.count must be at most ");
  }
  expect_bad_keys({bytes, 10, nullptr, 0, 2}, "keys.width must be at least 1 without offsets, got 0");
  expect_bad_keys({bytes, 10, nullptr, 3, 4}, "keys.count must be at most bytes_size / width, 3, got 4");
  expect_bad_keys({bytes, 10, nullptr, UINT64_MAX, 1}, "keys.count must be at most bytes_size / width, 0, got 1");
  expect_bad_keys({nullptr, 10, nullptr, 1, 2}, "keys.bytes must not be NULL");
}

/// Options that are refused wherever they are taken.
void expect_bad_options(const crivo_options& options, const std::string& part_of_message,
                        crivo_status status = CRIVO_BAD_ARGUMENT) {
  Sound s;
  const Call calls[] = {
      [&](crivo_error* e) { return crivo_create(&options, &s.made, e); },
      [&](crivo_error* e) { return crivo_build(&options, &s.keys, &s.made, e); },
      [&](crivo_error* e) { return crivo_build_from_hashes(&options, s.hashes.data(), 10, &s.made, e); },
      [&](crivo_error* e) { return crivo_builder_create(&options, &s.made_builder, e); },
  };
  for (const Call& call : calls) EXPECT_THAT(failure(status, call), ::testing::HasSubstr(part_of_message));
  EXPECT_EQ(s.made, nullptr);
  EXPECT_EQ(s.made_builder, nullptr);
}

TEST(Hostile, OptionsNameTheFieldThatIsWrong) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::pair<double, const char*> rates[] = {{1.5, "1.5"},         {1, "1"},           {-0.25, "-0.25"},
                                                  {-1e-9, "-1e-09"},    {kInfinite, "inf"}, {-kInfinite, "-inf"},
                                                  {std::nan(""), "nan"}};
  for (const auto& [rate, text] : rates) {
    expect_bad_options(options_of("blocked", 100, rate), std::string("fp_rate must lie in (0, 1), got ") + text);
  }
  expect_bad_options(options_of("blocked", 100, 1e-300), "1e-300");
  expect_bad_options(options_of("blocked", 100, std::numeric_limits<double>::denorm_min()), "5e-324");
  crivo_options options = options_of("blocked", 100);
  for (const double bits : {-1.0, 1001.0, kInfinite, -kInfinite, std::nan("")}) {
    options.bits_per_key = bits;
    expect_bad_options(options, "bits_per_key must lie in (0, 1000], got ");
  }
  options.bits_per_key = std::numeric_limits<double>::denorm_min();  // allowed, and no bits at all once it is divided
  for (const std::string& kind : every_kind()) {
    options.kind = kind.c_str();
    crivo_filter* filter = nullptr;
    const crivo_keys none{};
    const crivo_status status = crivo_build(&options, &none, &filter, nullptr);
    EXPECT_TRUE(status == CRIVO_OK || status == CRIVO_BAD_ARGUMENT) << kind << status;
    crivo_free(filter);
  }
  options.kind = "blocked";
  options.bits_per_key = 10;
  options.fp_rate = 0.5;
  expect_bad_options(options, "fp_rate must be 0 where bits_per_key is given, got 0.5");
  for (const std::uint64_t capacity : {(std::uint64_t{1} << 40) + 1, UINT64_MAX}) {
    expect_bad_options(options_of("blocked", capacity), "capacity must lie in [1, 1099511627776], got ");
  }
  options = options_of("blocked", 100);
  options.reserved = 1;
  expect_bad_options(options, "options.reserved must be 0, got 1");
}

TEST(Hostile, KindsOfGarbageAreQuotedAsUtf8OfOneLine) {
  const std::string long_one(1'000'000, 'x');
  for (const std::string& kind :
       {std::string(), std::string(":"), std::string("spectral:"), std::string("spectral:99999999999999999999"),
        std::string("spectral:-1"), std::string("spectral:8 "), std::string("blocked:1"), std::string("Blocked"),
        std::string("\xff\xfe\x80"), std::string("a\nb\tc"), std::string(60, '\x80'), long_one,
        std::string("\xE2\x82\xAC\xE2\x82")}) {
    const crivo_options options = options_of(kind.c_str(), 100);
    crivo_filter* filter = nullptr;
    const auto message =
        failure(CRIVO_BAD_ARGUMENT, [&](crivo_error* e) { return crivo_create(&options, &filter, e); });
    EXPECT_THAT(message, ::testing::HasSubstr("kind "));
    const bool garbage = kind[0] == '\xff' || kind[0] == '\x80';
    EXPECT_TRUE(std::all_of(message.begin(), message.end(), [&](unsigned char byte) {
      return byte >= 0x20 && byte != 0x7F && !(garbage && byte >= 0x80);
    })) << message;
  }
}

TEST(Hostile, FormsThatDoNotExistAreRefused) {
  Sound s;
  for (const std::int32_t form : {-1, 4, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(
        failure(CRIVO_BAD_ARGUMENT,
                [&](crivo_error* e) {
                  return crivo_write(s.filter.get(), form, 0, s.blob.data(), s.blob.size(), &s.number, e);
                }),
        "form must be CRIVO_FORM_AUTO (0), _RAW (1), _SMALLEST (2) or _MAPPABLE (3), got " + std::to_string(form));
  }
}

TEST(Hostile, LimitsAreChecked) {
  Sound s;
  const auto refused = [&](crivo_error* e) {
    return crivo_read(s.blob.data(), s.blob.size(), misaligned<crivo_limits>(), &s.made, e);
  };
  EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, refused), ::testing::HasSubstr("limits must be aligned to "));
  s.limits.max_bytes = 1;
  failure(CRIVO_TOO_LARGE,
          [&](crivo_error* e) { return crivo_read(s.blob.data(), s.blob.size(), &s.limits, &s.made, e); });
  s.limits.max_bytes = UINT64_MAX;
  ASSERT_EQ(crivo_read(s.blob.data(), s.blob.size(), &s.limits, &s.made, nullptr), CRIVO_OK);
  crivo_free(s.made);
}

}  // namespace
}  // namespace crivo::testing
