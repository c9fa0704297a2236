// Tests of a key's positions, for `classic` and `spectral`. A test passes if the bit is set or the counter is above 0.
// A key is present if all its tests pass. If the payload is in a cache, a mispredicted branch takes longer than a test,
// so one branch follows several tests. Otherwise a test waits for memory, so a query ends at the first failed test.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/byte_gate.h"
#include "crivo/detail/view.h"
#include "kinds/bloom/counter_array.h"
#include "kinds/bloom/positions.h"

namespace crivo {

/// Whether the payload probably fits in a cache.
inline bool fits_in_cache(const View& view) noexcept { return view.payload_bytes <= std::size_t{16} << 20; }

/// The number of combined tests: eight take less time than a mispredicted branch.
inline constexpr unsigned kTestedTogether = 8;

/// Whether a key passes the tests [test, end), without branches.
template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
bool passes_together(const View& view, Positions& positions, unsigned test, unsigned end) noexcept {
  bool all = true;
  for (; test < end; ++test) all &= kTest(view, positions.next());
  return all;
}

/// Whether a key passes all tests from number `test` on; true if there are none.
template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
bool passes_near(const View& view, Positions& positions, unsigned test) noexcept {
  for (const unsigned probes = view.shape.k;;) {
    const unsigned end = std::min(probes, test - test % kTestedTogether + kTestedTogether);
    const bool all = passes_together<kTest>(view, positions, test, end);
    if (end == probes || !all) return all;
    test = end;
  }
}

/// Tests many keys. The first tests exclude most absent keys, so few keys need the remaining tests.
template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
void pass_near_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  const unsigned first = std::min<unsigned>(view.shape.k, 3);
  std::array<std::size_t, 64> passed;
  for (std::size_t from = 0; from < count; from += passed.size()) {
    std::size_t left = 0;
    for (std::size_t i = from; i < std::min(count, from + passed.size()); ++i) {
      Positions positions(hashes[i], view.shape.units);
      hits[i] = passes_together<kTest>(view, positions, 0, first);
      passed[left] = i;
      left += hits[i] ? 1 : 0;
    }
    for (std::size_t i = 0; i < left; ++i) {
      Positions positions(hashes[passed[i]], view.shape.units);
      for (unsigned test = 0; test < first; ++test) positions.next();
      hits[passed[i]] = passes_near<kTest>(view, positions, first);
    }
  }
}

/// Tests many keys, for a payload where each test may wait for memory. In each round, every undecided key makes one
/// test. A key that passed prefetches its next position.
template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
void pass_far_batch(const View& view, unsigned unit_bits, const std::uint64_t* hashes, std::size_t count,
                    bool* hits) noexcept {
  constexpr std::size_t kAtOnce = 64;
  struct Key {
    Positions positions;
    std::uint64_t next;
    std::size_t number;
  };
  std::array<Key, kAtOnce> keys;  // undecided keys come first
  const auto prefetch = [&](std::uint64_t position) { __builtin_prefetch(view.payload + (position * unit_bits >> 3)); };
  for (std::size_t from = 0; from < count; from += kAtOnce) {
    std::size_t left = std::min(kAtOnce, count - from);
    for (std::size_t i = 0; i < left; ++i) {
      Positions positions(hashes[from + i], view.shape.units);
      const std::uint64_t first = positions.next();
      prefetch(first);
      keys[i] = {positions, first, from + i};
      hits[from + i] = false;
    }
    for (unsigned test = 1; test < view.shape.k; ++test) {
      std::size_t passed = 0;
      for (std::size_t i = 0; i < left; ++i) {
        Key key = keys[i];
        const bool pass = kTest(view, key.next);
        const std::uint64_t next = key.positions.next();
        key.next = pass ? next : key.next;  // a decided key prefetches nothing new
        prefetch(key.next);
        keys[passed] = key;
        passed += pass ? 1 : 0;
      }
      left = passed;
    }
    for (std::size_t i = 0; i < left; ++i) hits[keys[i].number] = kTest(view, keys[i].next);
  }
}

template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
bool passes(const View& view, std::uint64_t hash) noexcept {
  Positions positions(hash, view.shape.units);
  if (fits_in_cache(view)) return passes_near<kTest>(view, positions, 0);
  for (unsigned i = 0; i < view.shape.k; ++i) {
    if (!kTest(view, positions.next())) return false;
  }
  return true;
}

/// passes() for many keys. A unit has `unit_bits` bits of the payload.
template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
void pass_batch(const View& view, unsigned unit_bits, const std::uint64_t* hashes, std::size_t count,
                bool* hits) noexcept {
  if (fits_in_cache(view)) return pass_near_batch<kTest>(view, hashes, count, hits);
  pass_far_batch<kTest>(view, unit_bits, hashes, count, hits);
}

/// A KindRow::admit_query for counters of `bits` bits. Admits the key's counters that the query reads: those up to the
/// first that is 0, and those that are tested together with it.
inline bool admit_positions(const View& view, unsigned bits, std::uint64_t hash, ByteGate& gate) {
  const unsigned together = fits_in_cache(view) ? kTestedTogether : 1;
  Positions positions(hash, view.shape.units);
  bool ends = false;
  for (unsigned i = 1; i <= view.shape.k; ++i) {
    const CounterPlace place(positions.next(), bits);
    if (!gate.admit(place.byte, 8)) return false;
    ends |= place.load(view.payload + place.byte, bits) == 0;
    if (ends && i % together == 0) return true;
  }
  return true;
}

}  // namespace crivo
