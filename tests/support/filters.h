// Keys for the tests, and filters of the first n keys. No present key equals an absent key.
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

/// The hashes of the present keys first ... first + count - 1.
[[nodiscard]] std::vector<std::uint64_t> present_hashes(std::uint64_t count, std::uint64_t seed,
                                                        std::uint64_t first = 0);
[[nodiscard]] std::vector<std::uint64_t> absent_hashes(std::uint64_t count, std::uint64_t seed,
                                                       std::uint64_t first = 0);

/// Random hashes, which come from no key.
[[nodiscard]] std::vector<std::uint64_t> random_hashes(std::size_t count, std::uint64_t seed);

/// The tests derive a key's value from its hash.
inline constexpr unsigned kValueBits = 5;
[[nodiscard]] constexpr std::uint64_t value_of(std::uint64_t hash) noexcept { return hash >> 7 & 31; }
/// AnyFilter::build for every kind. In a map, a key's value is value_of(hash); in an exact filter, all are members.
[[nodiscard]] Result<AnyFilter> build_from(const FilterSpec& spec, const std::vector<std::uint64_t>& hashes,
                                           const BuildOptions& options = {});
/// A filter of the kind exact.
[[nodiscard]] Result<AnyFilter> build_exact(const FilterSpec& spec, std::span<const std::uint64_t> members,
                                            std::span<const std::uint64_t> others, const BuildOptions& options = {});
/// FilterBuilder::add_hashes for every kind, with the same values.
[[nodiscard]] Result<void> add_to(FilterBuilder& builder, Kind kind, std::span<const std::uint64_t> hashes);

/// A filter of the present keys 0 to n - 1. On an error, throws BadResult with the core's message.
[[nodiscard]] AnyFilter build_filter(const FilterSpec& spec, std::uint64_t n);
/// The same with a capacity of max(n, 1), values of kValueBits bits, one pane, and FilterSpec's other defaults.
[[nodiscard]] AnyFilter build_filter(Kind kind, std::uint64_t n, double fp_rate = 0.01);

[[nodiscard]] Bytes bytes_of(const AnyFilter& filter);
[[nodiscard]] Bytes bytes_of(std::string_view text);
/// The filter as a blob. Throws like build_filter.
[[nodiscard]] Bytes blob_of(const FilterRef& filter, BlobForm form = BlobForm::kRaw);
/// The filter's raw payload as a blob of the zstd codec, regardless of the core's choice.
[[nodiscard]] Bytes zstd_blob_of(const FilterRef& filter);
/// The filter as a sealed SST block for the key transform of this name.
[[nodiscard]] Bytes sst_block_of(const FilterRef& filter, std::string_view key_transform = {});

/// The error's message, or "no error".
template <class T>
[[nodiscard]] std::string message_of(const Result<T>& result) {
  return result.has_value() ? "no error" : result.error().message;
}

/// The number of these hashes that the filter finds.
[[nodiscard]] std::uint64_t count_found(const FilterRef& filter, const std::vector<std::uint64_t>& hashes);

}  // namespace crivo::testing
