// The ribbon's kernels, one file per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crivo/filter.h"
#include "kinds/ribbon_band.h"

namespace crivo {

/// A row on its way into the system: its bits in a block and in the next.
struct RibbonRow {
  std::uint64_t here;
  std::uint64_t next;
  std::uint32_t result;
};

bool ribbon_contains_scalar(const View& view, std::uint64_t hash) noexcept;
bool ribbon_contains_key_scalar(const View& view, std::string_view key) noexcept;
void ribbon_contains_batch_scalar(const View& view, const std::uint64_t* hashes, std::size_t count,
                                  bool* hits) noexcept;
RibbonBumped ribbon_add_bucket_scalar(RibbonBand& band, const RibbonBucket& bucket) noexcept;
void ribbon_solve_scalar(const RibbonBlock& block, unsigned columns, std::uint64_t* window) noexcept;
#if defined(__x86_64__)
bool ribbon_contains_avx2(const View& view, std::uint64_t hash) noexcept;
bool ribbon_contains_key_avx2(const View& view, std::string_view key) noexcept;
void ribbon_contains_batch_avx2(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept;
RibbonBumped ribbon_add_bucket_avx2(RibbonBand& band, const RibbonBucket& bucket) noexcept;
void ribbon_solve_avx2(const RibbonBlock& block, unsigned columns, std::uint64_t* window) noexcept;
bool ribbon_contains_avx512(const View& view, std::uint64_t hash) noexcept;
bool ribbon_contains_key_avx512(const View& view, std::string_view key) noexcept;
void ribbon_contains_batch_avx512(const View& view, const std::uint64_t* hashes, std::size_t count,
                                  bool* hits) noexcept;
RibbonBumped ribbon_add_bucket_avx512(RibbonBand& band, const RibbonBucket& bucket) noexcept;
void ribbon_solve_avx512(const RibbonBlock& block, unsigned columns, std::uint64_t* window) noexcept;
#endif

}  // namespace crivo
