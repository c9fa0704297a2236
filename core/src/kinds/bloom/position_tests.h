// Tests a key at its positions, for the kinds whose filter holds a key if it passes the test at all of them: a set bit,
// a counter above 0. Where a cache holds the payload, a mispredicted branch takes longer than a test, so several are
// made before one; where none does, a test waits for memory, so a question ends with the first that fails.
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

/// Whether a cache is likely to hold the payload.
inline bool is_near(const View& view) noexcept { return view.payload_bytes <= std::size_t{16} << 20; }

/// How many positions are tested together there: eight tests take less time than one branch that is mispredicted.
inline constexpr unsigned kTestedTogether = 8;

/// Whether a key passes its tests from number `test` on, to before number `end`, all together.
template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
bool passes_together(const View& view, Positions& positions, unsigned test, unsigned end) noexcept {
  bool all = true;
  for (; test < end; ++test) all &= kTest(view, positions.next());
  return all;
}

/// Whether a key passes its tests from number `test` on, of which there may be none.
template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
bool passes_near(const View& view, Positions& positions, unsigned test) noexcept {
  for (const unsigned probes = view.shape.k;;) {
    const unsigned end = std::min(probes, test - test % kTestedTogether + kTestedTogether);
    const bool all = passes_together<kTest>(view, positions, test, end);
    if (end == probes || !all) return all;
    test = end;
  }
}

/// Tests many keys: of those that are absent, few are left after the first tests.
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

/// Tests many keys where each test may wait for memory. A batch goes on test by test: each key that is still undecided
/// takes one, and prefetches what its next one reads if it has passed.
template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
void pass_far_batch(const View& view, unsigned unit_bits, const std::uint64_t* hashes, std::size_t count,
                    bool* hits) noexcept {
  constexpr std::size_t kAtOnce = 64;
  struct Key {
    Positions positions;
    std::uint64_t next;
    std::size_t number;
  };
  std::array<Key, kAtOnce> keys;  // those that are undecided come first
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
        key.next = pass ? next : key.next;  // a key that is decided fetches no more
        prefetch(key.next);
        keys[passed] = key;
        passed += pass ? 1 : 0;
      }
      left = passed;
    }
    for (std::size_t i = 0; i < left; ++i) hits[keys[i].number] = kTest(view, keys[i].next);
  }
}

/// Whether a key passes the test at all its positions.
template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
bool passes(const View& view, std::uint64_t hash) noexcept {
  Positions positions(hash, view.shape.units);
  if (is_near(view)) return passes_near<kTest>(view, positions, 0);
  for (unsigned i = 0; i < view.shape.k; ++i) {
    if (!kTest(view, positions.next())) return false;
  }
  return true;
}

/// The same for many keys. A unit takes `unit_bits` bits of the payload.
template <bool (*kTest)(const View&, std::uint64_t position) noexcept>
void pass_batch(const View& view, unsigned unit_bits, const std::uint64_t* hashes, std::size_t count,
                bool* hits) noexcept {
  if (is_near(view)) return pass_near_batch<kTest>(view, hashes, count, hits);
  pass_far_batch<kTest>(view, unit_bits, hashes, count, hits);
}

/// A KindRow::admit_question: the counters of `bits` bits at the key's positions, up to the one at which the question
/// ends, too: the first that is 0, and those that are read together with it.
inline bool admit_positions(const View& view, unsigned bits, std::uint64_t hash, ByteGate& gate) {
  const unsigned together = is_near(view) ? kTestedTogether : 1;
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
