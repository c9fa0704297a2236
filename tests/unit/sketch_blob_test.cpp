// Blobs of sketches: damaged and forged ones give an error, and symbols from an untrusted source give an error or keys.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <random>

#include "blob_surgery.h"
#include "sketches.h"

namespace crivo::testing {
namespace {

using ::testing::StartsWith;

TEST(SketchBlob, RejectsEveryTruncationAndEveryFlippedBit) {
  const Bytes blob = sketch_of({.symbols = 3, .seed = 7}, {1, 2, 3}).to_blob();
  ASSERT_TRUE(Sketch::parse(blob));
  for (std::size_t size = 0; size < blob.size(); ++size) {
    EXPECT_EQ(Sketch::parse(std::span(blob).first(size)).error().code, ErrorCode::kCorrupt) << size;
  }
  for (std::size_t bit = 0; bit < 8 * blob.size(); ++bit) {
    Bytes flipped = blob;
    flipped[bit / 8] ^= std::byte{1} << bit % 8;
    EXPECT_EQ(Sketch::parse(flipped).error().code, ErrorCode::kCorrupt) << bit;
  }
  Bytes longer = blob;
  longer.push_back({});
  repair_blob(longer);
  EXPECT_THAT(Sketch::parse(longer).error().message, StartsWith("raw payload bytes must be 56 for this shape, got 56"));
}

TEST(SketchBlob, RefusesForgedFieldsByName) {
  const Bytes blob = sketch_of({.symbols = 3, .seed = 7}, {1, 2, 3}).to_blob();
  const auto message = [&](const Field& field, std::uint64_t value) {
    const auto parsed = Sketch::parse(forge(blob, field, value));
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_EQ(message(header::kKind, 77), "kind must be sketch, got 77");
  EXPECT_EQ(message(header::kCapacity, 4), "capacity must be the number of symbols, 3, got 4");
  EXPECT_EQ(message(header::kFpRate, 0), "promised rate must be 1 for a sketch, got 0");
  EXPECT_EQ(message(header::kCodec, 1), "codec must be 0 (raw) for a sketch, got 1");
  EXPECT_EQ(message(header::kCodec, 3), "codec must be 0 (raw) for a sketch, got 3");
  EXPECT_EQ(message(header::kFlags, 1), "flags must be 0, got 1");
  EXPECT_EQ(message(header::kHashId, 2), "hash id must be 1, got 2");
  EXPECT_EQ(message(header::kProbes, 7), "key_bytes must be 8 for hashes and integers, got 7");
  EXPECT_EQ(message(header::kParam, 3), "parameter must be at most 2, got 3");
  EXPECT_EQ(message(header::kParam, 256), "parameter must be at most 2, got 256");
  EXPECT_THAT(message(header::kUnits, 4), StartsWith("raw payload bytes must be 72 for this shape, got 56"));
  EXPECT_EQ(message(header::kUnits, 0), "symbols must be in [1, 4294967296], got 0");
  EXPECT_EQ(message(header::kUnits, UINT64_MAX), "symbols must be in [1, 4294967296], got 18446744073709551615");
  EXPECT_THAT(message(header::kRawBytes, 57), StartsWith("raw payload bytes must be 56 for this shape, got 57"));
  Bytes far = blob;
  put(far, {"first", header::kBytes, 8}, kMaxSketchSymbols - 2);
  repair_blob(far);
  EXPECT_EQ(Sketch::parse(far).error().message, "symbols must be in [1, 2], got 3");
  EXPECT_EQ(Sketch::parse(blob, {.max_bytes = 55}).error().code, ErrorCode::kTooLarge);
}

/// Symbols from an untrusted source, with a correct checksum.
Sketch with_symbols(const SketchSpec& spec, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& symbols) {
  Bytes blob = Sketch::create(spec)->to_blob();
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    put(blob, {"check", header::kBytes + 8 + 16 * i, 8}, symbols[i].first);
    put(blob, {"key", header::kBytes + 16 + 16 * i, 8}, symbols[i].second);
  }
  repair_blob(blob);
  return *Sketch::parse(blob);
}

/// A key's check value, read from symbol 0 of a set that has only this key.
std::uint64_t check_of(std::uint64_t key) {
  const Bytes blob = sketch_of({.symbols = 1}, {key}).to_blob();
  return get(blob, {"check", header::kBytes + 8, 8});
}

TEST(UntrustedSketch, GivesAnErrorOrKeys) {
  const std::uint64_t check = check_of(5);
  std::uint64_t other = 0;  // a key that symbol 1 lacks; two of three keys are in symbol 1
  while (get(sketch_of({.symbols = 2}, {other}).to_blob(), {"check", header::kBytes + 24, 8}) != 0) ++other;
  const auto message = [](const Sketch& sketch) {
    const auto found = sketch.decode();
    return found.has_value() ? "" : found.error().message;
  };
  EXPECT_EQ(message(with_symbols({.symbols = 2}, {{0, 0}, {check_of(other), other}})),
            "symbols must be those of two sets, got inconsistent ones: symbol 1 has a key that belongs elsewhere");
  // The first symbol is empty, and another symbol is not.
  EXPECT_EQ(
      message(with_symbols({.symbols = 2}, {{0, 0}, {1, 1}})),
      "symbols must be those of two sets, got inconsistent ones: symbol 1 has keys that the first one does not have");
  // Each time the key is removed from one symbol, it appears in the other, so decoding would never end.
  std::uint64_t both = 0;  // a key of symbols 0 and 1
  while (get(sketch_of({.symbols = 2}, {both}).to_blob(), {"check", header::kBytes + 24, 8}) == 0) ++both;
  EXPECT_EQ(message(with_symbols({.symbols = 2}, {{0, 0}, {0 - check_of(both), both}})),
            "symbols must be those of two sets, got inconsistent ones: symbol 1 gives two keys");
  EXPECT_EQ(message(with_symbols({.symbols = 1}, {{check, 5}})), "");
}

Bytes symbols_of(const Sketch& sketch) {
  const Bytes blob = sketch.to_blob();
  return {blob.begin() + header::kBytes, blob.end()};
}

// Whatever the symbols are, decoding ends soon. If it succeeds, its distinct keys have exactly these symbols.
TEST(UntrustedSketch, GivesOnlyKeysThatHaveTheseSymbols) {
  std::mt19937_64 random(1);
  int given = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::uint64_t count = 1 + random() % 12;
    Sketch sketch = sketch_of({.symbols = count}, {});
    for (std::uint64_t left = random() % 6; left > 0; --left) {
      const std::uint64_t key = random() % 4;
      ASSERT_TRUE(random() % 2 == 0 ? sketch.add_numbers({&key, 1}) : sketch.remove_numbers({&key, 1}));
    }
    Bytes blob = sketch.to_blob();
    if (random() % 3 == 0) {  // a symbol copied from another index
      const std::size_t from = random() % count;
      const std::size_t to = random() % count;
      std::copy_n(blob.data() + header::kBytes + 8 + 16 * from, 16, blob.data() + header::kBytes + 8 + 16 * to);
      repair_blob(blob);
    }
    const Sketch hostile = *Sketch::parse(blob);
    const auto found = hostile.decode();
    if (!found.has_value() || !found->has_value()) continue;
    const Numbers first = numbers_of((*found)->only_first);
    const Numbers second = numbers_of((*found)->only_second);
    Numbers all;
    std::ranges::merge(first, second, std::back_inserter(all));
    EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << round;
    Sketch again = sketch_of(hostile.spec(), first);
    ASSERT_TRUE(again.subtract(sketch_of(hostile.spec(), second)));
    EXPECT_EQ(symbols_of(again), symbols_of(hostile)) << round;
    ++given;
  }
  EXPECT_GT(given, 500);
}

}  // namespace
}  // namespace crivo::testing
