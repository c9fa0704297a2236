// An exact filter's payload: docs/format.md, "exact". A universe of keys is known when it is built, members and others.
//
// A ribbon of the members lets few of the others pass, and a map of one bit tells those that pass from the members. So
// both answers are certain for every key of the universe, for little more than the information that they are: with n
// members and m others, n (r + 1) + m 2^-r bits for a ribbon of r columns, which are fewest where m 2^-r lies between
// n and 2 n. The ribbon is left out where no column pays.
// Papers: Dillinger, Huebschle-Schneider, Sanders & Walzer 2022, "Fast Succinct Retrieval and Approximate Membership
// Using Ribbon"; Schanck 2025, "Clubcards for the WebPKI: Smaller Certificate Revocation Tests in Theory and Practice".
#pragma once

#include <cstdint>

#include "crivo/detail/view.h"
#include "crivo/host/bytes.h"
#include "kinds/prepared.h"
#include "kinds/ribbon/layout.h"

namespace crivo {

inline constexpr std::uint64_t kExactHeaderBytes = 24;
/// A key's hash times this factor is its hash in the map. The filter lets keys pass more often in some ranges of hashes
/// than in others, and a ribbon must have evenly spread ones.
inline constexpr std::uint64_t kExactMapHash = 0x9E3779B97F4A7C15;
inline constexpr RibbonForm kExactMapForm(kWideRibbon, kRibbonShares);  // one column: the bit

/// The words that an exact payload begins with.
struct ExactHeader {
  std::uint64_t filter_words;  // of the ribbon behind it; 0: there is none
  std::uint64_t members;
  std::uint64_t others;

  explicit ExactHeader(const std::byte* payload) noexcept
      : filter_words(load_le<std::uint64_t>(payload)),
        members(load_le<std::uint64_t>(payload + 8)),
        others(load_le<std::uint64_t>(payload + 16)) {}
  ExactHeader(std::uint64_t words, std::uint64_t of_members, std::uint64_t of_others) noexcept
      : filter_words(words), members(of_members), others(of_others) {}
  void store(std::byte* payload) const noexcept {
    store_le(payload, filter_words);
    store_le(payload + 8, members);
    store_le(payload + 16, others);
  }
  [[nodiscard]] std::uint64_t map_at() const noexcept { return kExactHeaderBytes + 8 * filter_words; }
};

/// What the questions to both parts need.
struct ExactPrepared {
  std::uint64_t map_at;  // 0 if the view was not prepared
  RibbonPrepared filter;
  RibbonPrepared map;
};

/// The ribbon of the members as a view of its own, which lies there unless filter_words is 0.
[[nodiscard]] inline View exact_filter(const View& view, std::uint64_t map_at) noexcept {
  View filter{view.shape, view.payload + kExactHeaderBytes, static_cast<std::size_t>(map_at - kExactHeaderBytes)};
  filter.shape.units = filter.payload_bytes / 8;
  return filter;
}
/// The map of one bit as a view of its own.
[[nodiscard]] inline View exact_map(const View& view, std::uint64_t map_at) noexcept {
  View map{view.shape, view.payload + map_at, static_cast<std::size_t>(view.payload_bytes - map_at)};
  map.shape.k = 1;
  map.shape.param = 1;
  map.shape.units = map.payload_bytes / 8;
  return map;
}

}  // namespace crivo
