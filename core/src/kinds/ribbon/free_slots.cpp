#include "kinds/ribbon/free_slots.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/math128.h"

namespace crivo {
namespace {

constexpr std::uint64_t parity(std::uint64_t word) noexcept {
  return static_cast<std::uint64_t>(__builtin_parityll(word));
}

/// How each column of a block's solution changes with one of its free slots: there, and at the slots below whose
/// equations reach it.
std::uint64_t change_with(unsigned free_slot, const std::uint64_t* rows) noexcept {
  std::uint64_t change = std::uint64_t{1} << free_slot;
  for (unsigned slot = free_slot; slot-- > 0;) {
    if (rows[slot] != 0) change |= parity(rows[slot] & change) << slot;
  }
  return change;
}

}  // namespace

double expected_largest(unsigned slots) noexcept {
  constexpr std::array<double, kMostChosenSlots + 1> kLargest = {0,     0.564, 1.029, 1.424, 1.766, 2.070,
                                                                 2.343, 2.594, 2.826, 3.042, 3.246};
  return kLargest[std::min(slots, kMostChosenSlots)];
}

FreeSlots::FreeSlots(const RibbonLevelShape& shape, const std::byte* thresholds, std::uint64_t fingerprint_factor,
                     RecordSource<HashedValue>& keys, BuildTask& task)
    : shape_(shape),
      access_{shape.width, shape.starts(), shape.lean_blocks, shape.lean_columns, thresholds, nullptr},
      fingerprint_factor_(fingerprint_factor),
      keys_(keys),
      task_(task),
      passing_(task.memory()),
      bits_(task.memory()) {}

/// Keys that the level bumps are not asked for here, and others start before the block.
Result<void> FreeSlots::take_keys_of(std::uint64_t block) {
  passing_.clear();
  const std::uint64_t first = block * kRibbonBlockSlots;
  for (;;) {
    for (; !left_.empty(); left_ = left_.first(left_.size() - 1)) {
      const auto [hash, value] = left_.back();
      const std::uint64_t start = access_.start_of(hash);
      if (start < first) return {};
      if (value != 0 || passing_.size() == kMostChoosingKeys) continue;
      if (start >= first + kRibbonBlockSlots || (!shape_.base && access_.bumped(start))) continue;
      const auto shift = static_cast<unsigned>(start % kRibbonBlockSlots);
      passing_.push_back({std::rotl(ribbon_row(hash, shape_.width), static_cast<int>(shift)),
                          (std::uint64_t{1} << shift) - 1, ribbon_fingerprint(hash, fingerprint_factor_)});
    }
    if (ended_) return {};
    const auto more = keys_.take_highest();
    if (!more) return more.error();
    left_ = *more;
    ended_ = more->empty();
    if (auto wanted = task_.advance(0); !wanted) return wanted;  // the keys may be many more than the ribbon's
  }
}

Result<void> FreeSlots::choose(std::uint64_t block, const std::uint64_t* rows, std::span<const std::uint64_t> behind,
                               std::span<std::uint64_t> window) {
  if (auto taken = take_keys_of(block); !taken) return taken;
  std::array<std::uint64_t, kMostChosenSlots> changes;
  std::size_t count = 0;
  for (unsigned slot = kRibbonBlockSlots; slot-- > 0 && count < changes.size();) {
    if (rows[slot] == 0) changes[count++] = change_with(slot, rows);
  }
  if (count == 0) return {};
  const unsigned columns = shape_.columns_of(block);
  for (unsigned column = 0; column < columns && !passing_.empty(); ++column) {
    choose_column(column, std::span(changes).first(count), behind[column], window[column]);
  }
  return {};
}

/// Goes through all sums of the changes in the order of a Gray code, which adds or takes back one at a time.
void FreeSlots::choose_column(unsigned column, std::span<const std::uint64_t> changes, std::uint64_t behind,
                              std::uint64_t& solution) {
  // For each key one bit: whether it passes, and then for each change, whether that turns it over.
  const std::size_t words = (passing_.size() + 63) / 64;
  bits_.assign(words * (1 + changes.size()), 0);
  for (std::size_t i = 0; i < passing_.size(); ++i) {
    const Passing& key = passing_[i];
    const std::uint64_t slots = (solution & ~key.below_start) | (behind & key.below_start);
    const std::uint64_t passes = ~(parity(key.row & slots) ^ key.fingerprint >> column) & 1;
    std::uint64_t* word = &bits_[i / 64];
    *word |= passes << i % 64;
    for (const std::uint64_t change : changes) {
      word += words;
      *word |= parity(key.row & ~key.below_start & change) << i % 64;
    }
  }
  const auto passing = std::span(bits_).first(words);
  const auto count = [&] {
    std::size_t bits = 0;
    for (const std::uint64_t word : passing) bits += static_cast<std::size_t>(std::popcount(word));
    return bits;
  };
  const auto turn = [&](std::size_t change) {
    for (std::size_t word = 0; word < words; ++word) passing[word] ^= bits_[(1 + change) * words + word];
  };
  std::size_t fewest = count();
  std::uint64_t best = 0;
  for (std::uint64_t step = 1; step < std::uint64_t{1} << changes.size(); ++step) {
    turn(static_cast<std::size_t>(std::countr_zero(step)));
    if (const std::size_t now = count(); now < fewest) {
      fewest = now;
      best = step ^ step >> 1;  // the Gray code: which changes are made now
    }
  }
  const std::uint64_t last = (std::uint64_t{1} << changes.size()) - 1;
  const std::uint64_t made = last ^ last >> 1;
  for (std::size_t change = 0; change < changes.size(); ++change) {
    if ((best ^ made) >> change & 1) turn(change);
    if (best >> change & 1) solution ^= changes[change];
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < passing_.size(); ++i) {
    passing_[kept] = passing_[i];
    kept += passing[i / 64] >> i % 64 & 1;
  }
  passing_.resize(kept);
}

}  // namespace crivo
