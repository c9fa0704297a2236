// Keys for the tests, and filters of the first n of them. Present keys and absent keys are different texts, for every
// i.
#pragma once

#include <ostream>
#include <string>

#include "blob_surgery.h"
#include "crivo/blob.h"
#include "crivo/builder.h"
#include "crivo/filter.h"

namespace crivo {
/// GoogleTest calls this to print a kind by its name.
inline void PrintTo(const KindInfo& info, std::ostream* out) { *out << info.name; }
}  // namespace crivo

namespace crivo::testing {

[[nodiscard]] std::string present_key(std::uint64_t i);
[[nodiscard]] std::string absent_key(std::uint64_t i);

/// The hashes of the keys from number `first` to number first + count - 1.
[[nodiscard]] std::vector<std::uint64_t> present_hashes(std::uint64_t count, std::uint64_t seed,
                                                        std::uint64_t first = 0);
[[nodiscard]] std::vector<std::uint64_t> absent_hashes(std::uint64_t count, std::uint64_t seed,
                                                       std::uint64_t first = 0);

/// Hashes of no keys, drawn at random.
[[nodiscard]] std::vector<std::uint64_t> random_hashes(std::size_t count, std::uint64_t seed);

/// The value of a key that a test gives one.
inline constexpr unsigned kValueBits = 5;
[[nodiscard]] constexpr std::uint64_t value_of(std::uint64_t hash) noexcept { return hash >> 7 & 31; }
/// AnyFilter::build for every kind: where keys have values, each has that of value_of(), or is a member.
[[nodiscard]] Result<AnyFilter> build_from(const FilterSpec& spec, const std::vector<std::uint64_t>& hashes,
                                           const BuildOptions& options = {});
/// A filter of the kind exact.
[[nodiscard]] Result<AnyFilter> build_exact(const FilterSpec& spec, std::span<const std::uint64_t> members,
                                            std::span<const std::uint64_t> others, const BuildOptions& options = {});
/// FilterBuilder::add_hashes, likewise.
[[nodiscard]] Result<void> add_to(FilterBuilder& builder, Kind kind, std::span<const std::uint64_t> hashes);

/// A filter of the present keys 0 to n - 1. Throws BadResult with the core's message if that is an error.
[[nodiscard]] AnyFilter build_filter(const FilterSpec& spec, std::uint64_t n);
/// The same, for a capacity of max(n, 1), with FilterSpec's defaults for all else.
[[nodiscard]] AnyFilter build_filter(Kind kind, std::uint64_t n, double fp_rate = 0.01);

/// The filter's payload.
[[nodiscard]] Bytes bytes_of(const AnyFilter& filter);
/// The filter as a blob. Throws as build_filter.
[[nodiscard]] Bytes blob_of(const FilterRef& filter, BlobForm form = BlobForm::kRaw);
/// The filter's raw payload as a blob of the zstd codec, whatever the core would choose.
[[nodiscard]] Bytes zstd_blob_of(const FilterRef& filter);
/// The filter as a sealed SST block, of keys that a transform of this name changed.
[[nodiscard]] Bytes sst_block_of(const FilterRef& filter, std::string_view key_transform = {});

/// The number of these hashes that the filter finds.
[[nodiscard]] std::uint64_t count_found(const FilterRef& filter, const std::vector<std::uint64_t>& hashes);

}  // namespace crivo::testing
