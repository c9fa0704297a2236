// Sketches: find the difference of two sets by exchanging bytes in proportion to the difference, not to the sets.
//
// Each side makes a sketch of its set: a sequence of coded symbols. One side sends its sketch. The other side subtracts
// the sketch from its own, and decodes the result. The size of the difference need not be known, because a longer
// sketch begins with the shorter one: if the symbols do not suffice, send more. Source: Yang, Gilad & Alizadeh,
// "Practical rateless set reconciliation", SIGCOMM 2024; docs/format.md, "Sketches".
//
// A set must not contain a key twice. If one side has a key once more than the other side, the key is reported as
// missing on the other side. If the counts differ by more than one, decode() never returns a value.
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

/// The keys of one side. Byte strings and hashes are in ascending order; integers are in the order of signed numbers.
class SketchedKeys {
 public:
  SketchedKeys(std::vector<std::byte> bytes, unsigned key_bytes) : bytes_(std::move(bytes)), key_bytes_(key_bytes) {}

  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() / key_bytes_; }
  /// Key `i` of a sketch of kBytes, with i < size().
  [[nodiscard]] std::string_view key(std::size_t i) const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()) + i * key_bytes_, key_bytes_};
  }
  /// All keys, concatenated. Numbers are little-endian.
  [[nodiscard]] std::string_view bytes() const noexcept {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }
  /// Key `i` as a number: a hash, or the 64 bits of an integer.
  [[nodiscard]] std::uint64_t number(std::size_t i) const noexcept;

 private:
  std::vector<std::byte> bytes_;
  unsigned key_bytes_;
};

/// The difference of two sets.
struct SetDifference {
  SketchedKeys only_first;   // only in the set of the sketch on which subtract() was called
  SketchedKeys only_second;  // only in the set of the argument of subtract()
};

/// A sketch of a set. While one thread changes a sketch, no other thread may use it.
class Sketch {
 public:
  /// The sketch of an empty set. Errors: kBadArgument naming the field; kTooLarge if max_bytes is too small.
  [[nodiscard]] static Result<Sketch> create(const SketchSpec& spec, std::uint64_t max_bytes = UINT64_MAX);
  /// Parses a blob from to_blob. Errors: kCorrupt naming the field; kTooLarge, before anything is allocated.
  [[nodiscard]] static Result<Sketch> parse(std::span<const std::byte> blob, const ReadLimits& limits = {});
  [[nodiscard]] std::vector<std::byte> to_blob() const;
  [[nodiscard]] std::uint64_t blob_bytes() const noexcept { return kBlobHeaderBytes + payload_.size(); }
  /// Whether a blob begins like a sketch, rather than a filter.
  [[nodiscard]] static bool is_sketch(std::span<const std::byte> blob) noexcept;

  /// Adds a key that is not in the set, or removes a key of the set, in about 2 ln(first + symbols) steps. Errors, with
  /// the sketch unchanged: kBadArgument for a key that is not key_bytes long, and for a sketch of integers.
  Result<void> add(std::string_view key);
  Result<void> remove(std::string_view key);
  /// The same for hashes or integers. Errors: kBadArgument for a sketch of byte strings.
  Result<void> add_numbers(std::span<const std::uint64_t> numbers);
  Result<void> remove_numbers(std::span<const std::uint64_t> numbers);

  /// Adds all keys of a disjoint set, for sets that are sketched in several places. Errors, with the sketch unchanged:
  /// kIncompatible naming the field that differs.
  Result<void> combine(const Sketch& other);
  /// Subtracts the other set. The result is a sketch of the difference, with the symbols of the shorter sketch. Errors:
  /// as combine, but symbols may differ.
  Result<void> subtract(const Sketch& other);
  /// Appends the next symbols of the same set. Errors: kIncompatible naming the field, also if the sets differ in size.
  Result<void> append(const Sketch& next);

  /// The difference, after subtract(). No value if there are too few symbols: append more symbols to both sketches and
  /// subtract again. Also no value if a key's counts in the two sets differ by more than one. Unless an attacker chose
  /// the keys, the probability that the result contains a wrong key is at most 2^-63 * symbols * keys in the
  /// difference. Errors: kBadArgument if spec().first is not 0; kCorrupt for symbols that no two sets can produce, for
  /// example from a hostile peer. For any m symbols, even hostile ones, memory is O(m) and time is O(m log m).
  [[nodiscard]] Result<std::optional<SetDifference>> decode() const;

  [[nodiscard]] const SketchSpec& spec() const noexcept { return spec_; }
  /// Keys added minus keys removed or subtracted, at least 0.
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_ >> 63 != 0 ? 0 : keys_; }

 private:
  Sketch(const SketchSpec& spec, AlignedBytes payload) noexcept : spec_(spec), payload_(std::move(payload)) {}
  [[nodiscard]] Result<void> check_same_keys(const Sketch& other) const;

  SketchSpec spec_;
  AlignedBytes payload_;    // as in a blob
  std::uint64_t keys_ = 0;  // modulo 2^64, because a removal may precede its addition
};

/// Replaces the file with the sketch's blob, atomically as write_blob_file does. Returns the number of bytes. Errors:
/// kSystem, with the path and the system's reason.
[[nodiscard]] Result<std::uint64_t> write_sketch_file(const Sketch& sketch, const std::string& path);

}  // namespace crivo
