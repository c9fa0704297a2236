// A synthetic list of leaked passwords, so that no real one must be downloaded: any number of SHA-1 hashes in ascending
// order, the same on every machine. A real list (Have I Been Pwned has a billion hashes) has the same form: one line
// per password, with its hash as 40 upper-case hexadecimal digits.
//
// SHA-1 hashes are uniformly distributed, so the synthetic ones need no SHA-1. The range of the first 64 bits is
// divided into equal parts, one per hash, and each part has one hash at a random position. So the list is generated in
// order, and any hash can be computed alone. The hashes are more evenly spread than real ones, but no program here
// benefits from that: filters hash their keys again, and the others compare them.
//
// The random numbers come from splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// 2014), whose n-th number is a function of n.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace passwords {

inline constexpr std::size_t kHashBytes = 20;
inline constexpr std::size_t kHexDigits = 2 * kHashBytes;
using Hash = std::array<unsigned char, kHashBytes>;
using Line = std::array<char, kHexDigits + 1>;  // the digits and a line feed

/// The n-th number of splitmix64, for a seed.
inline std::uint64_t splitmix64(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// A hash whose first 64 bits are `first`; the rest comes from `second` and `third`.
inline Hash hash_with(std::uint64_t first, std::uint64_t second, std::uint64_t third) {
  Hash hash;
  for (std::size_t i = 0; i < 8; ++i) hash[i] = static_cast<unsigned char>(first >> (56 - 8 * i));
  for (std::size_t i = 0; i < 8; ++i) hash[8 + i] = static_cast<unsigned char>(second >> (56 - 8 * i));
  for (std::size_t i = 0; i < 4; ++i) hash[16 + i] = static_cast<unsigned char>(third >> (24 - 8 * i));
  return hash;
}

/// The i-th of the list's `count` synthetic hashes.
inline Hash leaked_hash(std::uint64_t i, std::uint64_t count) {
  constexpr std::uint64_t seed = 1;
  const std::uint64_t part = UINT64_MAX / count;
  return hash_with(i * part + splitmix64(seed, 3 * i) % part, splitmix64(seed, 3 * i + 1), splitmix64(seed, 3 * i + 2));
}

/// The i-th hash that is not in the list; to be equal to a listed one, all its 160 random bits would have to match.
inline Hash unknown_hash(std::uint64_t i) {
  constexpr std::uint64_t seed = 2;
  return hash_with(splitmix64(seed, 3 * i), splitmix64(seed, 3 * i + 1), splitmix64(seed, 3 * i + 2));
}

inline Line line_of(const Hash& hash) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  Line line;
  for (std::size_t i = 0; i < kHashBytes; ++i) {
    line[2 * i] = digits[hash[i] >> 4];
    line[2 * i + 1] = digits[hash[i] & 15];
  }
  line[kHexDigits] = '\n';
  return line;
}

/// Parses a line without its line feed. False if it is not 40 upper-case hexadecimal digits.
inline bool parse_line(std::string_view line, Hash& hash) {
  if (line.size() != kHexDigits) return false;
  const auto value = [](char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
  };
  for (std::size_t i = 0; i < kHashBytes; ++i) {
    const int high = value(line[2 * i]);
    const int low = value(line[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    hash[i] = static_cast<unsigned char>(16 * high + low);
  }
  return true;
}

}  // namespace passwords
