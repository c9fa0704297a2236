// Keys, and filters of n of them, for every suite. Key i and absent key i are different texts for every i.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "blob_surgery.h"
#include "crivo/blob.h"
#include "crivo/filter.h"

namespace crivo {
/// So that GoogleTest prints a kind by its name.
inline void PrintTo(const KindInfo& info, std::ostream* out) { *out << info.name; }
}  // namespace crivo

namespace crivo::testing {

[[nodiscard]] std::string present_key(std::uint64_t i);
[[nodiscard]] std::string absent_key(std::uint64_t i);

/// The hashes of present keys first ... first + count - 1.
[[nodiscard]] std::vector<std::uint64_t> present_hashes(std::uint64_t count, std::uint64_t seed,
                                                        std::uint64_t first = 0);
[[nodiscard]] std::vector<std::uint64_t> absent_hashes(std::uint64_t count, std::uint64_t seed,
                                                       std::uint64_t first = 0);

/// A filter with present keys 0 ... n - 1. Throws std::runtime_error with the core's message if there is no such
/// filter.
[[nodiscard]] AnyFilter build_filter(const FilterSpec& spec, std::uint64_t n);
/// The same, for a capacity of max(n, 1) and otherwise as FilterSpec's defaults.
[[nodiscard]] AnyFilter build_filter(Kind kind, std::uint64_t n, double fp_rate = 0.01);

/// to_blob and open, throwing std::runtime_error with the core's message.
[[nodiscard]] Bytes blob_of(const FilterRef& filter, BlobForm form = BlobForm::kRaw);
/// The filter's raw payload as a blob of the zstd codec, whatever the core would choose.
[[nodiscard]] Bytes zstd_blob_of(const FilterRef& filter);
/// The filter as a sealed SST block.
[[nodiscard]] Bytes sst_block_of(const FilterRef& filter);

/// How many of these hashes the filter finds.
[[nodiscard]] std::uint64_t count_found(const FilterRef& filter, const std::vector<std::uint64_t>& hashes);

}  // namespace crivo::testing
