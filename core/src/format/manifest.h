// The bytes of a manifest, and what those who ask the parts have in common: docs/format.md, "Parts".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/kinds.h"
#include "crivo/manifest.h"
#include "crivo/result.h"

namespace crivo {

inline constexpr std::size_t kPartBytes = 40;  // of the manifest
/// What follows the manifest's name in that of the folder with the parts.
inline constexpr std::string_view kPartsFolder = ".parts";
/// What a filter in parts has in place of a kind.
inline constexpr KindInfo kKindOfParts{.kind = Kind::kParts, .name = "parts", .option = {}, .alias = {}, .can = {}};

/// A power of two, at most kMaxParts.
[[nodiscard]] bool is_number_of_parts(std::uint64_t parts) noexcept;
[[nodiscard]] std::vector<std::byte> manifest_blob(const Manifest& manifest);
/// Whether bytes begin as those of a manifest do.
[[nodiscard]] bool is_manifest(std::span<const std::byte> blob) noexcept;
/// Errors: kCorrupt naming the field.
[[nodiscard]] Result<Manifest> parse_manifest(std::span<const std::byte> blob);
/// What a filter in parts has in place of a filter's shape.
[[nodiscard]] Shape shape_of_parts(const Manifest& manifest) noexcept;
/// The name of a part's file in the folder of the parts.
[[nodiscard]] std::string name_of_part(std::uint32_t number, std::uint64_t checksum);

/// A kind whose keys lie in parts has no order, no values and no time. Errors: kUnsupported.
[[nodiscard]] Result<void> check_kind_of_parts(const KindInfo& kind);
/// Whether an opened filter is the part that its manifest names. Errors: kCorrupt; kUnsupported.
[[nodiscard]] Result<void> check_part(const Manifest& manifest, std::uint32_t number, const Shape& shape,
                                      const KindInfo& kind, std::uint64_t bytes, std::uint64_t checksum);
/// The error of a part as one of the filter, which names the part: kTooLarge, or else kCorrupt.
[[nodiscard]] Error in_part(const Error& error, const std::string& manifest_path, std::uint32_t number);

/// Hashes sorted by their part, so that the questions of each can be asked together.
class HashesByPart {
 public:
  HashesByPart(std::span<const std::uint64_t> hashes, std::uint32_t parts);
  /// The place of a part's first hash in their order; that of the part behind the last is their number.
  [[nodiscard]] std::size_t begin(std::uint32_t part) const noexcept { return begins_[part]; }
  [[nodiscard]] std::span<const std::uint64_t> of(std::uint32_t part) const noexcept {
    return std::span(sorted_).subspan(begins_[part], begins_[part + std::size_t{1}] - begins_[part]);
  }
  /// For each hash of all parts, in their order, its place among those that were given.
  [[nodiscard]] std::span<const std::size_t> places() const noexcept { return places_; }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::uint64_t> sorted_;
  std::vector<std::size_t> places_;
};

}  // namespace crivo
