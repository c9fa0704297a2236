// Sketches: what two sets differ in, found from bytes that grow with the difference and not with the sets.
//
// Each side makes a sketch of its set, a row of coded symbols, and one of them sends it to the other, which subtracts
// and decodes. Nobody needs to know how large the difference is: a longer sketch of the same set begins with the
// shorter one, so who has sent too few symbols sends the next ones. Source: Yang, Gilad & Alizadeh, "Practical rateless
// set reconciliation", SIGCOMM 2024; docs/format.md, "Sketches".
//
// A set has no key twice. A key that one side has once more than the other is found as if the other lacked it, and one
// that it has more often prevents that anything is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/blob.h"
#include "crivo/memory.h"
#include "crivo/result.h"
#include "crivo/sketch_spec.h"

namespace crivo {

/// The keys of one side, in ascending order: of their bytes, or as numbers, which for kIntegers are signed.
class SketchedKeys {
 public:
  SketchedKeys(std::vector<std::byte> bytes, unsigned key_bytes) : bytes_(std::move(bytes)), key_bytes_(key_bytes) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / key_bytes_; }
  /// A key of kBytes. `i` is below size().
  [[nodiscard]] std::string_view key(std::size_t i) const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()) + i * key_bytes_, key_bytes_};
  }
  /// All of them, one behind the other; numbers are in little-endian order.
  [[nodiscard]] std::string_view bytes() const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  /// A hash, or an integer as its 64 bits.
  [[nodiscard]] std::uint64_t number(std::size_t i) const noexcept;

 private:
  std::vector<std::byte> bytes_;
  unsigned key_bytes_;
};

/// What two sets differ in.
struct SetDifference {
  SketchedKeys only_first;   // in the set whose sketch the other was subtracted from
  SketchedKeys only_second;  // in the set whose sketch was subtracted
};

/// A sketch of a set. While one thread changes it, no other may use it.
class Sketch {
 public:
  /// The sketch of a set without keys. Errors: kBadArgument naming the field; kTooLarge if it needs more than
  /// max_bytes.
  [[nodiscard]] static Result<Sketch> create(const SketchSpec& spec, std::uint64_t max_bytes = UINT64_MAX);
  /// Reads what to_blob wrote. Errors: kCorrupt naming the field; kTooLarge, before anything is allocated.
  [[nodiscard]] static Result<Sketch> parse(std::span<const std::byte> blob, const ReadLimits& limits = {});
  [[nodiscard]] std::vector<std::byte> to_blob() const;
  /// The bytes that to_blob gives.
  [[nodiscard]] std::uint64_t blob_bytes() const noexcept { return kBlobHeaderBytes + payload_.size(); }
  /// Whether bytes begin as those of a sketch do, and not as those of a filter.
  [[nodiscard]] static bool is_sketch(std::span<const std::byte> blob) noexcept;

  /// Adds a key that is not in the set, or removes one that is. It takes about 2 ln(first + symbols) steps. Errors:
  /// kBadArgument, with the sketch unchanged, for a key of another length than key_bytes, and for integers.
  Result<void> add(std::string_view key);
  Result<void> remove(std::string_view key);
  /// The same for 64-bit hashes of keys, or integers. Errors: kBadArgument for a sketch of byte strings.
  Result<void> add_numbers(std::span<const std::uint64_t> numbers);
  Result<void> remove_numbers(std::span<const std::uint64_t> numbers);

  /// Adds all keys of a set that has none of these: two halves of a set are sketched apart, and then put together.
  /// Errors: kIncompatible naming the field that differs. Unchanged on error.
  Result<void> combine(const Sketch& other);
  /// Takes away the keys of the other set. What is left is the sketch of what they differ in, of as many symbols as the
  /// shorter of the two. Errors: as combine, but for the number of symbols.
  Result<void> subtract(const Sketch& other);
  /// Puts the next symbols of the same set behind these. Errors: kIncompatible naming the field, also for a set of
  /// another size.
  Result<void> append(const Sketch& next);

  /// The keys of either side, of a sketch that another was subtracted from; no value if it has too few symbols yet:
  /// append more to both, and subtract again. A wrong key has the probability 2^-63 for each symbol and key, if nobody
  /// chose the keys to that end. Errors: kBadArgument if first is not 0; kCorrupt for symbols that no two sets have,
  /// which a hostile peer may send: time and memory stay in proportion to the symbols.
  [[nodiscard]] Result<std::optional<SetDifference>> decode() const;

  [[nodiscard]] const SketchSpec& spec() const noexcept { return spec_; }
  /// The keys that were added, less those that were removed or subtracted; 0 where that is negative.
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_ >> 63 != 0 ? 0 : keys_; }

 private:
  Sketch(const SketchSpec& spec, AlignedBytes payload) noexcept : spec_(spec), payload_(std::move(payload)) {}
  [[nodiscard]] Result<void> check_same_keys(const Sketch& other) const;

  SketchSpec spec_;
  AlignedBytes payload_;    // as in a blob
  std::uint64_t keys_ = 0;  // modulo 2^64, so that a removal may come before its addition
};

/// Replaces the file in one step by the sketch's blob, as write_blob_file does. Returns the number of bytes. Errors:
/// kSystem, with the path and the system's reason.
[[nodiscard]] Result<std::uint64_t> write_sketch_file(const Sketch& sketch, const std::string& path);

}  // namespace crivo
