// Shared by the tests of the C interface: handles that free themselves, keys, and options in one line. It includes only
// crivo.h, because the same tests run with libcrivo.a and with libcrivo.so, which exports no C++.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "crivo.h"
#include "matchers.h"

namespace crivo::testing {

struct Free {
  void operator()(crivo_filter* filter) const noexcept { crivo_free(filter); }
  void operator()(crivo_builder* builder) const noexcept { crivo_builder_free(builder); }
  void operator()(crivo_sketch* sketch) const noexcept { crivo_sketch_free(sketch); }
  void operator()(crivo_difference* difference) const noexcept { crivo_difference_free(difference); }
};
using Filter = std::unique_ptr<crivo_filter, Free>;
using Builder = std::unique_ptr<crivo_builder, Free>;
using SketchHandle = std::unique_ptr<crivo_sketch, Free>;
using DifferenceHandle = std::unique_ptr<crivo_difference, Free>;

/// A misaligned address. No memory at this address may be accessed.
template <class T>
T* misaligned() {
  return reinterpret_cast<T*>(std::uintptr_t{0x1001});  // NOLINT(performance-no-int-to-ptr)
}

/// A key that the tests add, and a key that they never add.
inline std::string present(std::uint64_t i) { return "present " + std::to_string(i); }
inline std::string absent(std::uint64_t i) { return "absent " + std::to_string(i); }

/// Keys in the layout with offsets.
class KeyList {
 public:
  KeyList() = default;
  explicit KeyList(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) add(key);
  }
  void add(std::string_view key) {
    bytes_ += key;
    offsets_.push_back(bytes_.size());
  }
  [[nodiscard]] std::uint64_t count() const { return offsets_.size() - 1; }
  /// Borrows this list. Valid until the next change, and only for one thread.
  [[nodiscard]] const crivo_keys* keys() const {
    keys_ = {bytes_.data(), bytes_.size(), offsets_.data(), 0, count()};
    return &keys_;
  }

 private:
  std::string bytes_;
  std::vector<std::uint64_t> offsets_{0};
  mutable crivo_keys keys_{};
};

inline KeyList present_keys(std::uint64_t count, std::uint64_t first = 0) {
  KeyList list;
  for (std::uint64_t i = first; i < first + count; ++i) list.add(present(i));
  return list;
}
inline KeyList absent_keys(std::uint64_t count) {
  KeyList list;
  for (std::uint64_t i = 0; i < count; ++i) list.add(absent(i));
  return list;
}

/// A zeroed structure with the size of this version.
template <class Struct>
Struct sized() {
  Struct structure{};
  structure.size = sizeof structure;
  return structure;
}

inline crivo_options options_of(const char* kind, std::uint64_t capacity = 0, double fp_rate = 0) {
  auto options = sized<crivo_options>();
  options.kind = kind;
  options.capacity = capacity;
  options.fp_rate = fp_rate;
  return options;
}

inline crivo_sketch_options sketch_options_of(std::uint64_t symbols, const char* keys = nullptr) {
  auto options = sized<crivo_sketch_options>();
  options.symbols = symbols;
  options.keys = keys;
  return options;
}

/// Every kind of the library that has all of these abilities.
inline std::vector<std::string> kinds_that_can(std::uint32_t can) {
  std::vector<std::string> names;
  for (std::size_t i = 0; crivo_kind_name(i) != nullptr; ++i) {
    if ((crivo_kind_can(i) & can) == can) names.emplace_back(crivo_kind_name(i));
  }
  return names;
}
/// Omits `range`, which reads only the first eight bytes: "present " of all keys; `map`, whose keys have values; and
/// `exact`, which has two sets of keys. See range_test.cpp, map_test.cpp and exact_test.cpp.
inline std::vector<std::string> every_kind() {
  std::vector<std::string> names = kinds_that_can(0);
  for (const char* other : {"range", "map", "exact"}) std::erase(names, other);
  return names;
}

/// The filter or builder that a function makes from these arguments.
template <class Handle = crivo_filter, class Function, class... Args>
std::unique_ptr<Handle, Free> make(Function function, Args... args) {
  Handle* made = nullptr;
  crivo_error error{};
  EXPECT_EQ(function(args..., &made, &error), CRIVO_OK) << error.message;
  return std::unique_ptr<Handle, Free>(made);
}

inline Filter create(const crivo_options& options) { return make(crivo_create, &options); }
/// The values of these keys in a map: 0, 1, 2, ...
inline std::vector<std::uint64_t> values_for(const KeyList& list) {
  std::vector<std::uint64_t> values(list.count());
  std::iota(values.begin(), values.end(), 0);
  return values;
}
inline Filter build(const crivo_options& options, const KeyList& list) {
  if (options.kind != nullptr && std::string_view(options.kind).starts_with("map")) {
    return make(crivo_build_map, &options, list.keys(), values_for(list).data());
  }
  if (options.kind != nullptr && std::string_view(options.kind) == "exact") {
    return make(crivo_build_exact, &options, list.keys(), absent_keys(4 * list.count()).keys());
  }
  return make(crivo_build, &options, list.keys());
}
inline Builder start(const crivo_options* options) { return make<crivo_builder>(crivo_builder_create, options); }
/// A filter of any kind with the first keys.
inline Filter filter_of(const std::string& kind, std::uint64_t keys) {
  return build(options_of(kind.c_str(), keys == 0 ? 1 : keys), present_keys(keys));
}

inline bool has(const Filter& filter, std::string_view key) {
  const std::int32_t hit = crivo_contains(filter.get(), key.data(), key.size(), nullptr);
  EXPECT_TRUE(hit == 0 || hit == 1) << hit;
  return hit == 1;
}
inline crivo_status add(const Filter& filter, std::string_view key) {
  return crivo_add(filter.get(), key.data(), key.size(), nullptr);
}
inline crivo_status add(const Filter& filter, const KeyList& list) {
  return crivo_add_keys(filter.get(), list.keys(), nullptr);
}
inline std::uint64_t count_of(const Filter& filter, std::string_view key) {
  std::uint64_t count = 0;
  EXPECT_EQ(crivo_count(filter.get(), key.data(), key.size(), &count, nullptr), CRIVO_OK);
  return count;
}

inline std::vector<std::uint8_t> hits_of(const Filter& filter, const KeyList& list) {
  std::vector<std::uint8_t> hits(list.count(), 9);
  crivo_error error{};
  EXPECT_EQ(crivo_contains_keys(filter.get(), list.keys(), hits.data(), &error), CRIVO_OK) << error.message;
  return hits;
}
inline std::uint64_t found(const Filter& filter, const KeyList& list) {
  std::uint64_t found = 0;
  for (const std::uint8_t hit : hits_of(filter, list)) found += hit;
  return found;
}

inline crivo_facts facts_of(const Filter& filter) {
  auto facts = sized<crivo_facts>();
  EXPECT_EQ(crivo_get_facts(filter.get(), &facts, nullptr), CRIVO_OK);
  return facts;
}
inline crivo_stats stats_of(const Filter& filter) {
  auto stats = sized<crivo_stats>();
  EXPECT_EQ(crivo_get_stats(filter.get(), &stats, nullptr), CRIVO_OK);
  return stats;
}

inline crivo_similarity similarity_of(const Filter& one, const Filter& other) {
  auto alike = sized<crivo_similarity>();
  EXPECT_EQ(crivo_compare(one.get(), other.get(), &alike, nullptr), CRIVO_OK);
  return alike;
}

using Blob = std::vector<unsigned char>;
inline Blob blob_of(const Filter& filter, std::int32_t form = CRIVO_FORM_RAW) {
  Blob blob(crivo_blob_bound(filter.get()));
  std::uint64_t written = 0;
  crivo_error error{};
  EXPECT_EQ(crivo_write(filter.get(), form, 0, blob.data(), blob.size(), &written, &error), CRIVO_OK) << error.message;
  blob.resize(written);
  return blob;
}
inline Blob blob_of(const SketchHandle& sketch) {
  Blob blob(crivo_sketch_bytes(sketch.get()));
  crivo_error error{};
  EXPECT_EQ(crivo_sketch_write(sketch.get(), blob.data(), blob.size(), &error), CRIVO_OK) << error.message;
  return blob;
}
inline Filter read(const Blob& blob) { return make(crivo_read, blob.data(), blob.size(), nullptr); }
inline Filter borrow(const Blob& blob) { return make(crivo_borrow, blob.data(), blob.size(), nullptr); }

class PerKind : public ::testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] static crivo_options options(std::uint64_t capacity) {
    const bool is_window = GetParam() == "window";  // all keys are in one pane, because they are added at once
    return options_of(is_window ? "window:9/1" : GetParam().c_str(), capacity);
  }
};

/// Converts an int to the integer type of a parameter. Leaves other arguments unchanged.
struct AnyInteger {
  int value;
  template <std::integral To>
  operator To() const {
    return static_cast<To>(value);
  }
};
template <class Arg>
auto as_argument(Arg arg) {
  if constexpr (std::is_same_v<Arg, int>) {
    return AnyInteger{arg};
  } else {
    return arg;
  }
}

/// Calls a function with these arguments and a crivo_error*. Expects this status, and returns the message.
template <class Function, class... Args>
std::string failure(crivo_status expected, Function function, Args... args) {
  const auto call = [&](crivo_error* error) { return function(as_argument(args)..., error); };
  crivo_error error;
  std::memset(&error, 0x5A, sizeof error);
  EXPECT_EQ(call(&error), expected) << error.message;
  EXPECT_EQ(error.status, expected);
  EXPECT_NE(std::memchr(error.message, '\0', sizeof error.message), nullptr) << "a message ends";
  EXPECT_EQ(call(nullptr), expected) << "the error may be NULL";
  return error.message;
}

}  // namespace crivo::testing

/// Runs a suite for each of these kinds. The parameter is a std::string.
#define CRIVO_FOR_KINDS(Suite, kinds) \
  INSTANTIATE_TEST_SUITE_P(Kinds, Suite, ::testing::ValuesIn(kinds), [](const auto& tested) { return tested.param; })
