// Invalid arguments: each function returns a status, writes nothing, and does not crash. No function can detect
// pointers to other memory (freed memory, arrays shorter than stated), so these are not tested.
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <tuple>
#include <type_traits>

#include "c_filters.h"

namespace crivo::testing {
namespace {

/// Valid arguments for every function. Each test replaces one of them.
struct Sound {
  Filter filter = filter_of("counting", 100);
  Filter other = filter_of("counting", 100);
  Filter map = filter_of("map", 100);
  crivo_options map_options = options_of("map", 100);
  crivo_options exact_options = options_of("exact", 100);
  Builder map_builder = start(&map_options);
  Builder builder = start(nullptr);
  crivo_options options = options_of("blocked", 100);
  KeyList list = present_keys(10);
  crivo_keys keys = *list.keys();
  KeyList other_list = absent_keys(10);
  crivo_keys other_keys = *other_list.keys();
  std::vector<std::uint64_t> hashes = std::vector<std::uint64_t>(10, 5);
  std::vector<std::uint64_t> values = std::vector<std::uint64_t>(10, 6);
  std::vector<std::uint8_t> hits = std::vector<std::uint8_t>(10, 9);
  crivo_facts facts = sized<crivo_facts>();
  crivo_stats stats = sized<crivo_stats>();
  crivo_similarity similarity = sized<crivo_similarity>();
  crivo_limits limits = sized<crivo_limits>();
  Blob blob = blob_of(filter);
  crivo_sketch_options sketch_options = sketch_options_of(50);
  SketchHandle sketch = make<crivo_sketch>(crivo_sketch_create, &sketch_options);
  SketchHandle other_sketch = make<crivo_sketch>(crivo_sketch_create, &sketch_options);
  Blob sketch_blob = Blob(crivo_sketch_bytes(sketch.get()));
  DifferenceHandle difference = make<crivo_difference>(crivo_find_difference, sketch.get(), other_sketch.get());
  crivo_sketch* made_sketch = nullptr;
  crivo_sketch_facts sketch_facts = sized<crivo_sketch_facts>();
  crivo_difference* made_difference = nullptr;
  const std::uint64_t* numbers = nullptr;
  std::uint64_t number = 77;
  crivo_filter* made = nullptr;
  crivo_builder* made_builder = nullptr;
};

/// One argument of one function, which a test replaces with a pointer.
struct Argument {
  std::string function;
  std::string name;
  bool can_be_misaligned;
  std::function<crivo_status(void*, crivo_error*)> call;
};

/// The pointer arguments of the functions. A test replaces each pointer in turn, while the other arguments are valid.
class Pointers {
 public:
  /// `names` has the arguments' names in crivo.h. An argument without a name is not a pointer, or may be NULL.
  template <class Function, class... Args>
  void of(const char* name, Function function, const std::array<const char*, sizeof...(Args)>& names, Args... sound) {
    add_each(name, function, names, std::tuple(sound...), std::index_sequence_for<Args...>());
  }
  [[nodiscard]] const std::vector<Argument>& all() const { return all_; }

 private:
  template <class Function, class Names, class Sound, std::size_t... At>
  void add_each(const char* of, Function function, const Names& names, const Sound& sound, std::index_sequence<At...>) {
    (add<At>(of, function, names[At], sound), ...);
  }
  template <std::size_t At, class Function, class Sound>
  void add(const char* of, Function function, const char* name, const Sound& sound) {
    using Type = std::tuple_element_t<At, Sound>;
    if constexpr (std::is_pointer_v<Type>) {
      using Pointee = std::remove_cv_t<std::remove_pointer_t<Type>>;
      constexpr bool kBytes =
          std::is_void_v<Pointee> || std::is_same_v<Pointee, char> || std::is_same_v<Pointee, unsigned char>;
      const auto call = [=](void* pointer, crivo_error* error) {
        Sound spoiled = sound;
        std::get<At>(spoiled) = static_cast<Type>(pointer);
        // A lookup returns a negated status.
        return std::abs(std::apply([&](auto... args) { return function(as_argument(args)..., error); }, spoiled));
      };
      if (*name != '\0') all_.push_back({of, name, !kBytes, call});
    }
  }

  std::vector<Argument> all_;
};

std::vector<Argument> every_pointer(Sound& s) {
  crivo_filter* f = s.filter.get();
  crivo_filter* other = s.other.get();
  crivo_builder* b = s.builder.get();
  std::uint64_t* hashes = s.hashes.data();
  std::uint64_t* values = s.values.data();
  std::uint8_t* hits = s.hits.data();
  unsigned char* blob = s.blob.data();
  const std::size_t blob_bytes = s.blob.size();
  Pointers p;
  p.of("hash_keys", crivo_hash_keys, {"keys", "", "hashes"}, &s.keys, 0, hashes);
  p.of("create", crivo_create, {"options", "filter"}, &s.options, &s.made);
  p.of("build", crivo_build, {"", "keys", "filter"}, &s.options, &s.keys, &s.made);
  p.of("build_from_hashes", crivo_build_from_hashes, {"", "hashes", "", "filter"}, &s.options, hashes, 10, &s.made);
  p.of("build_map", crivo_build_map, {"", "keys", "values", "map"}, &s.map_options, &s.keys, values, &s.made);
  p.of("build_exact", crivo_build_exact, {"", "members", "others", "filter"}, &s.exact_options, &s.keys, &s.other_keys,
       &s.made);
  p.of("copy", crivo_copy, {"filter", "copy"}, f, &s.made);
  p.of("drop_counts", crivo_drop_counts, {"filter", "blocked"}, f, &s.made);
  p.of("builder_create", crivo_builder_create, {"", "builder"}, &s.options, &s.made_builder);
  p.of("builder_add", crivo_builder_add, {"builder", "key", ""}, b, "a", 1);
  p.of("builder_add_keys", crivo_builder_add_keys, {"builder", "keys"}, b, &s.keys);
  p.of("builder_add_hashes", crivo_builder_add_hashes, {"builder", "hashes", ""}, b, hashes, 10);
  p.of("builder_add_value", crivo_builder_add_value, {"builder", "key", "", ""}, s.map_builder.get(), "a", 1, 7);
  p.of("builder_add_values", crivo_builder_add_values, {"builder", "keys", "values"}, s.map_builder.get(), &s.keys,
       values);
  p.of("builder_add_hash_values", crivo_builder_add_hash_values, {"builder", "hashes", "values", ""},
       s.map_builder.get(), hashes, values, 10);
  p.of("builder_finish", crivo_builder_finish, {"builder", "filter"}, b, &s.made);
  p.of("contains", crivo_contains, {"filter", "key", ""}, f, "a", 1);
  p.of("contains_hash", crivo_contains_hash, {"filter", ""}, f, 1);
  p.of("contains_keys", crivo_contains_keys, {"filter", "keys", "hits"}, f, &s.keys, hits);
  p.of("contains_hashes", crivo_contains_hashes, {"filter", "hashes", "", "hits"}, f, hashes, 10, hits);
  p.of("find", crivo_find, {"map", "key", "", "value"}, s.map.get(), "a", 1, &s.number);
  p.of("find_hash", crivo_find_hash, {"map", "", "value"}, s.map.get(), 1, &s.number);
  p.of("find_keys", crivo_find_keys, {"map", "keys", "values", "found"}, s.map.get(), &s.keys, values, hits);
  p.of("find_hashes", crivo_find_hashes, {"map", "hashes", "", "values", "found"}, s.map.get(), hashes, 10, values,
       hits);
  p.of("count", crivo_count, {"filter", "key", "", "count"}, f, "a", 1, &s.number);
  p.of("add", crivo_add, {"filter", "key", ""}, f, "a", 1);
  p.of("add_keys", crivo_add_keys, {"filter", "keys"}, f, &s.keys);
  p.of("add_hashes", crivo_add_hashes, {"filter", "hashes", ""}, f, hashes, 10);
  p.of("add_times", crivo_add_times, {"filter", "key", "", ""}, f, "a", 1, 2);
  p.of("remove", crivo_remove, {"filter", "key", ""}, f, "a", 1);
  p.of("clear", crivo_clear, {"filter"}, f);
  p.of("unite", crivo_unite, {"filter", "other"}, f, other);
  p.of("intersect", crivo_intersect, {"filter", "other"}, f, other);
  p.of("get_facts", crivo_get_facts, {"filter", "facts"}, f, &s.facts);
  p.of("get_stats", crivo_get_stats, {"filter", "stats"}, f, &s.stats);
  p.of("compare", crivo_compare, {"first", "second", "similarity"}, f, other, &s.similarity);
  p.of("write", crivo_write, {"filter", "", "", "buffer", "", "written"}, f, 0, 0, blob, blob_bytes, &s.number);
  p.of("read", crivo_read, {"blob", "", "", "filter"}, blob, blob_bytes, &s.limits, &s.made);
  p.of("borrow", crivo_borrow, {"blob", "", "", "filter"}, blob, blob_bytes, &s.limits, &s.made);
  crivo_sketch* sketch = s.sketch.get();
  p.of("sketch_create", crivo_sketch_create, {"options", "sketch"}, &s.sketch_options, &s.made_sketch);
  p.of("sketch_add", crivo_sketch_add, {"sketch", "key", ""}, sketch, "a", 1);
  p.of("sketch_remove", crivo_sketch_remove, {"sketch", "key", ""}, sketch, "a", 1);
  p.of("sketch_add_keys", crivo_sketch_add_keys, {"sketch", "keys"}, sketch, &s.keys);
  p.of("sketch_remove_keys", crivo_sketch_remove_keys, {"sketch", "keys"}, sketch, &s.keys);
  p.of("sketch_add_numbers", crivo_sketch_add_numbers, {"sketch", "numbers", ""}, sketch, hashes, 10);
  p.of("sketch_remove_numbers", crivo_sketch_remove_numbers, {"sketch", "numbers", ""}, sketch, hashes, 10);
  p.of("sketch_combine", crivo_sketch_combine, {"sketch", "other"}, sketch, s.other_sketch.get());
  p.of("sketch_append", crivo_sketch_append, {"sketch", "next"}, sketch, s.other_sketch.get());
  p.of("sketch_get_facts", crivo_sketch_get_facts, {"sketch", "facts"}, sketch, &s.sketch_facts);
  p.of("sketch_write", crivo_sketch_write, {"sketch", "buffer", ""}, sketch, s.sketch_blob.data(),
       s.sketch_blob.size());
  p.of("sketch_read", crivo_sketch_read, {"blob", "", "", "sketch"}, s.sketch_blob.data(), s.sketch_blob.size(),
       &s.limits, &s.made_sketch);
  p.of("find_difference", crivo_find_difference, {"first", "second", "difference"}, sketch, s.other_sketch.get(),
       &s.made_difference);
  p.of("difference_keys", crivo_difference_keys, {"difference", "", "keys"}, s.difference.get(), 0, &s.keys);
  p.of("difference_numbers", crivo_difference_numbers, {"difference", "", "numbers", "count"}, s.difference.get(), 0,
       &s.numbers, &s.number);
  return p.all();
}

TEST(Hostile, EveryPointerIsRefusedWhereItIsNullOrNotAligned) {
  Sound s;
  const Blob before = blob_of(s.filter);
  for (const Argument& argument : every_pointer(s)) {
    SCOPED_TRACE(argument.function);
    EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, argument.call, nullptr), HasSubstr(argument.name + " must not be NULL"));
    if (!argument.can_be_misaligned) continue;
    EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, argument.call, misaligned<char>()),
                HasSubstr(argument.name + " must be aligned to "));
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
  for (auto* sketch : {static_cast<crivo_sketch*>(nullptr), misaligned<crivo_sketch>()}) {
    crivo_sketch_free(sketch);
    EXPECT_EQ(crivo_sketch_bytes(sketch), 0U);
  }
  crivo_difference_free(nullptr);
  crivo_difference_free(misaligned<crivo_difference>());
  EXPECT_EQ(crivo_hash_key("a", SIZE_MAX, 0), crivo_hash_key(nullptr, 0, 0));
}

TEST(Hostile, AnErrorThatIsNotAlignedIsLeftAlone) {
  EXPECT_EQ(crivo_clear(nullptr, misaligned<crivo_error>()), CRIVO_BAD_ARGUMENT);
}

TEST(Hostile, LengthsThatNoObjectHasAreRefused) {
  Sound s;
  crivo_filter* f = s.filter.get();
  const auto refuses = [](auto... call) { failure(CRIVO_BAD_ARGUMENT, call...); };
  for (const std::uint64_t huge : {std::uint64_t{1} << 63, UINT64_MAX, UINT64_MAX - 7}) {
    refuses([&](crivo_error* e) { return -crivo_contains(f, "a", huge, e); });
    refuses(crivo_count, f, "a", huge, &s.number);
    refuses(crivo_add, f, "a", huge);
    refuses(crivo_add_times, f, "a", huge, 1);
    refuses(crivo_remove, f, "a", huge);
    refuses(crivo_builder_add, s.builder.get(), "a", huge);
    refuses(crivo_read, "a", huge, nullptr, &s.made);
    refuses(crivo_borrow, "a", huge, nullptr, &s.made);
    refuses(crivo_write, f, 0, 0, s.blob.data(), huge, &s.number);
  }
  for (const std::uint64_t huge : {std::uint64_t{1} << 60, std::uint64_t{1} << 61, UINT64_MAX}) {
    refuses(crivo_contains_hashes, f, s.hashes.data(), huge, s.hits.data());
    refuses(crivo_add_hashes, f, s.hashes.data(), huge);
    refuses(crivo_builder_add_hashes, s.builder.get(), s.hashes.data(), huge);
    refuses(crivo_build_from_hashes, nullptr, s.hashes.data(), huge, &s.made);
  }
  EXPECT_EQ(s.made, nullptr);
}

/// Every function with a parameter for keys must reject these invalid keys.
void expect_bad_keys(const crivo_keys& keys, const std::string& part_of_message) {
  Sound s;
  const auto refuses = [&](auto... call) {
    EXPECT_THAT(failure(CRIVO_BAD_ARGUMENT, call...), HasSubstr(part_of_message));
  };
  refuses(crivo_hash_keys, &keys, 0, s.hashes.data());
  refuses(crivo_build, nullptr, &keys, &s.made);
  refuses(crivo_builder_add_keys, s.builder.get(), &keys);
  refuses(crivo_contains_keys, s.filter.get(), &keys, s.hits.data());
  refuses(crivo_add_keys, s.filter.get(), &keys);
  EXPECT_EQ(s.made, nullptr);
  EXPECT_EQ(crivo_builder_keys(s.builder.get()), 0U);
}

TEST(Hostile, KeysMustLieWithinTheirBytes) {
  const char bytes[] = "0123456789";
  const std::uint64_t falling[] = {0, 5, 5, 4, 9};
  expect_bad_keys({bytes, 10, falling, 0, 4}, "keys.offsets must never decrease, got 5 before 4");
  const std::uint64_t dipping[] = {0, 5, 3, 10, 12};  // 12 is not used: three keys have four offsets
  expect_bad_keys({bytes, 10, dipping, 0, 3}, "keys.offsets must never decrease, got 5 before 3");
  const std::uint64_t even[] = {0, 6, 4, 10};
  expect_bad_keys({bytes, 10, even, 0, 3}, "keys.offsets must never decrease, got 6 before 4");
  const std::uint64_t high[] = {0, UINT64_MAX, 0};
  expect_bad_keys({bytes, 10, high, 0, 1}, "keys.offsets must be at most bytes_size, 10, got 18446744073709551615");
  const std::uint64_t wrapping[] = {0, UINT64_MAX, 3, 9};
  expect_bad_keys({bytes, 10, wrapping, 0, 3}, "keys.offsets must never decrease");
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

/// Every function with options must reject these options.
void expect_bad_options(const crivo_options& options, const std::string& part_of_message,
                        crivo_status status = CRIVO_BAD_ARGUMENT) {
  Sound s;
  const auto refuses = [&](auto... call) { EXPECT_THAT(failure(status, call...), HasSubstr(part_of_message)); };
  refuses(crivo_create, &options, &s.made);
  refuses(crivo_build, &options, &s.keys, &s.made);
  refuses(crivo_build_from_hashes, &options, s.hashes.data(), 10, &s.made);
  refuses(crivo_builder_create, &options, &s.made_builder);
  EXPECT_EQ(s.made, nullptr);
  EXPECT_EQ(s.made_builder, nullptr);
}

TEST(Hostile, OptionsNameTheFieldThatIsWrong) {
  expect_bad_options(options_of("blocked", 100, -1e-9), "fp_rate must be in (0, 1), got -1e-09");
  expect_bad_options(options_of("blocked", 100, std::nan("")), "fp_rate must be in (0, 1), got nan");
  expect_bad_options(options_of("blocked", 100, std::numeric_limits<double>::denorm_min()), "5e-324");
  crivo_options options = options_of("blocked", 100);
  for (const double bits : {-1.0, std::nan("")}) {
    options.bits_per_key = bits;
    expect_bad_options(options, "bits_per_key must be in (0, 1000], got ");
  }
  options.bits_per_key = std::numeric_limits<double>::denorm_min();  // valid, but divided by any number it is 0
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
  expect_bad_options(options, "fp_rate must be 0 if bits_per_key is set, got 0.5");
  expect_bad_options(options_of("blocked", UINT64_MAX), "capacity must be in [1, 1099511627776], got ");
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
    const auto message = failure(CRIVO_BAD_ARGUMENT, crivo_create, &options, &filter);
    EXPECT_THAT(message, HasSubstr("kind "));
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
        failure(CRIVO_BAD_ARGUMENT, crivo_write, s.filter.get(), form, 0, s.blob.data(), s.blob.size(), &s.number),
        "form must be CRIVO_FORM_AUTO (0), _RAW (1), _SMALLEST (2) or _MAPPABLE (3), got " + std::to_string(form));
  }
}

TEST(Hostile, LimitsAreChecked) {
  Sound s;
  EXPECT_THAT(
      failure(CRIVO_BAD_ARGUMENT, crivo_read, s.blob.data(), s.blob.size(), misaligned<crivo_limits>(), &s.made),
      HasSubstr("limits must be aligned to "));
  s.limits.max_bytes = 1;
  failure(CRIVO_TOO_LARGE, crivo_read, s.blob.data(), s.blob.size(), &s.limits, &s.made);
  s.limits.max_bytes = UINT64_MAX;
  (void)make(crivo_read, s.blob.data(), s.blob.size(), &s.limits);
}

}  // namespace
}  // namespace crivo::testing
