// Coded symbols (docs/format.md, "Sketches"; Yang, Gilad & Alizadeh, SIGCOMM 2024, section 4): an infinite sequence.
// Every key of a set is in the first symbol, and in symbol i with probability 2 / (i + 2). A symbol has the XOR of its
// keys, and a check: the sum, modulo 2^64, of the checks of its keys. A key's check is a 64-bit hash of the key.
// Subtracting two sequences leaves the keys that only one set has. If one key remains in a symbol, the symbol's check
// is the check of this key, negated for a key of the second set. So a symbol needs no count of its keys.
//
// This density makes every prefix of the sequence a good code. The probability that a key is in none of the symbols i +
// 1 to j is (i + 1)(i + 2) / ((j + 1)(j + 2)), the product of k / (k + 2) over these symbols k. To draw the next index,
// advance() equates this probability with a random number and solves for j, with one square root.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "crivo/host/bytes.h"
#include "crivo/sketch_spec.h"

namespace crivo {

/// A sketch's payload begins with the number of its first symbol.
inline constexpr std::size_t kFirstBytes = 8;
inline constexpr std::size_t kSymbolCheckBytes = 8;

/// A key as symbols store it, padded with zeros.
using SymbolKey = std::array<std::byte, kMaxSketchKeyBytes>;

/// What a key contributes to its symbols.
struct SymbolTerm {
  SymbolKey key{};
  std::uint64_t check = 0;
  std::uint64_t steps = 0;  // the start of the key's sequence of indices

  SymbolTerm(const SymbolKey& of, unsigned key_bytes, std::uint64_t seed) noexcept;
};

/// The indices of the symbols that contain a key, ascending from 0.
class SymbolIndices {
 public:
  explicit SymbolIndices(std::uint64_t steps) noexcept : state_(steps) {}

  [[nodiscard]] std::uint64_t index() const noexcept { return index_; }
  void advance() noexcept {
    constexpr double kTwo32 = 0x1p32;
    constexpr std::uint64_t kMultiplier = 0xDA942042E4DD58B5;  // Steele & Vigna 2022
    const auto drawn = static_cast<double>((state_ >> 32) + 1);
    state_ *= kMultiplier;
    const auto index = static_cast<double>(index_);
    const double least = (index + 1) * (index + 2) * kTwo32 / drawn;
    index_ = std::max(index_, static_cast<std::uint64_t>(std::sqrt(least + 0.25) - 1.5)) + 1;
  }

 private:
  std::uint64_t state_;
  std::uint64_t index_ = 0;
};

/// Consecutive symbols in memory, beginning with number `first`.
class Symbols {
 public:
  Symbols(std::span<std::byte> bytes, unsigned key_bytes, std::uint64_t first) noexcept
      : bytes_(bytes), key_bytes_(key_bytes), stride_(kSymbolCheckBytes + key_bytes), first_(first) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return bytes_.size() / stride_; }

  /// Adds a key to its symbols, or removes the key if `check` is negated.
  void apply(const SymbolTerm& term, std::uint64_t check) noexcept {
    const std::uint64_t end = first_ + size();
    SymbolIndices indices(term.steps);
    while (indices.index() < first_) indices.advance();
    for (; indices.index() < end; indices.advance()) apply_at(indices.index() - first_, term.key, check);
  }
  void apply_at(std::uint64_t i, const SymbolKey& key, std::uint64_t check) noexcept {
    std::byte* const symbol = at(i);
    store_le(symbol, load_le<std::uint64_t>(symbol) + check);
    xor_key(symbol + kSymbolCheckBytes, key.data());
  }
  /// Adds or subtracts another sequence, which must have at least as many symbols.
  void apply_row(std::span<const std::byte> other, bool add) noexcept {
    for (std::uint64_t i = 0; i < size(); ++i) {
      const std::byte* const from = other.data() + i * stride_;
      std::byte* const symbol = at(i);
      const auto check = load_le<std::uint64_t>(from);
      store_le(symbol, load_le<std::uint64_t>(symbol) + (add ? check : 0 - check));
      xor_key(symbol + kSymbolCheckBytes, from + kSymbolCheckBytes);
    }
  }

  [[nodiscard]] std::uint64_t check(std::uint64_t i) const noexcept { return load_le<std::uint64_t>(at(i)); }
  [[nodiscard]] SymbolKey key(std::uint64_t i) const noexcept {
    SymbolKey key{};
    std::memcpy(key.data(), at(i) + kSymbolCheckBytes, key_bytes_);
    return key;
  }
  [[nodiscard]] bool is_empty(std::uint64_t i) const noexcept { return check(i) == 0 && key(i) == SymbolKey{}; }

 private:
  [[nodiscard]] std::byte* at(std::uint64_t i) const noexcept { return bytes_.data() + i * stride_; }
  void xor_key(std::byte* into, const std::byte* key) const noexcept {
    std::size_t done = 0;
    for (; done + 8 <= key_bytes_; done += 8) {
      store_le(into + done, load_le<std::uint64_t>(into + done) ^ load_le<std::uint64_t>(key + done));
    }
    for (; done < key_bytes_; ++done) into[done] ^= key[done];
  }

  std::span<std::byte> bytes_;
  std::size_t key_bytes_;
  std::size_t stride_;
  std::uint64_t first_;
};

}  // namespace crivo
