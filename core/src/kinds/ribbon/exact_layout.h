// The payload of an exact filter (docs/format.md, "exact"). The filter is built from a known universe of keys: members
// and others.
//
// A ribbon of the members rejects most of the others. A map with values of one bit then distinguishes the members from
// the others that passed the ribbon. So the answer is exact for every key of the universe, and the size is close to the
// information limit. With n members, m others and r columns, ribbon and map have n (r + 1) + m 2^-r bits together,
// which is minimal for m 2^-r between n and 2 n. The ribbon is omitted if there are no members, or if the spec requires
// no column and a column would make the payload larger.
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
/// A key's hash in the map is the key's hash times this factor. The hashes of keys that pass the ribbon are spread
/// unevenly, but the map needs evenly spread hashes.
inline constexpr std::uint64_t kExactMapHash = 0x9E3779B97F4A7C15;
inline constexpr RibbonForm kExactMapForm(kWideRibbon, kRibbonShares);  // one column: the bit

/// The first words of an exact payload.
struct ExactHeader {
  std::uint64_t filter_words;  // of the ribbon that follows; 0 without a ribbon
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

/// The parameters of the ribbon and the map for queries.
struct ExactPrepared {
  std::uint64_t map_at;  // 0 if the view was not prepared
  RibbonPrepared filter;
  RibbonPrepared map;
};

/// The ribbon of the members as a view. Requires filter_words > 0.
[[nodiscard]] inline View exact_filter(const View& view, std::uint64_t map_at) noexcept {
  View filter{view.shape, view.payload + kExactHeaderBytes, static_cast<std::size_t>(map_at - kExactHeaderBytes)};
  filter.shape.units = filter.payload_bytes / 8;
  return filter;
}
/// The map, whose values have one bit, as a view.
[[nodiscard]] inline View exact_map(const View& view, std::uint64_t map_at) noexcept {
  View map{view.shape, view.payload + map_at, static_cast<std::size_t>(view.payload_bytes - map_at)};
  map.shape.k = 1;
  map.shape.param = 1;
  map.shape.units = map.payload_bytes / 8;
  return map;
}

}  // namespace crivo
