// The ribbon's kernels, one file per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crivo/filter.h"
#include "kinds/ribbon_band.h"

namespace crivo {

inline constexpr std::size_t kRibbonRows = 32;

/// Rows on their way into a band, of starts in the same block of it.
struct RibbonRows {
  std::size_t block;
  std::size_t count;
  alignas(64) std::uint64_t bits[kRibbonRows];   // at their slots modulo 64
  alignas(64) std::uint64_t shift[kRibbonRows];  // of the start in its block; falling
  alignas(64) std::uint64_t result[kRibbonRows];
};

bool ribbon_contains_scalar(const View& view, std::uint64_t hash) noexcept;
bool ribbon_contains_key_scalar(const View& view, std::string_view key) noexcept;
void ribbon_contains_batch_scalar(const View& view, const std::uint64_t* hashes, std::size_t count,
                                  bool* hits) noexcept;
RibbonBumped ribbon_add_bucket_scalar(RibbonBand& band, const RibbonBucket& bucket) noexcept;
void ribbon_solve_scalar(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
                         std::uint64_t* window) noexcept;
#if defined(__x86_64__)
bool ribbon_contains_avx2(const View& view, std::uint64_t hash) noexcept;
bool ribbon_contains_key_avx2(const View& view, std::string_view key) noexcept;
void ribbon_contains_batch_avx2(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept;
RibbonBumped ribbon_add_bucket_avx2(RibbonBand& band, const RibbonBucket& bucket) noexcept;
void ribbon_solve_avx2(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
                       std::uint64_t* window) noexcept;
bool ribbon_contains_avx512(const View& view, std::uint64_t hash) noexcept;
bool ribbon_contains_key_avx512(const View& view, std::string_view key) noexcept;
void ribbon_contains_batch_avx512(const View& view, const std::uint64_t* hashes, std::size_t count,
                                  bool* hits) noexcept;
RibbonBumped ribbon_add_bucket_avx512(RibbonBand& band, const RibbonBucket& bucket) noexcept;
void ribbon_solve_avx512(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
                         std::uint64_t* window) noexcept;
#endif

}  // namespace crivo
