// The ribbon's query kernels, one file per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/filter.h"

namespace crivo {

bool ribbon_contains_scalar(const View& view, std::uint64_t hash) noexcept;
void ribbon_contains_batch_scalar(const View& view, const std::uint64_t* hashes, std::size_t count,
                                  bool* hits) noexcept;
#if defined(__x86_64__)
bool ribbon_contains_avx2(const View& view, std::uint64_t hash) noexcept;
void ribbon_contains_batch_avx2(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept;
bool ribbon_contains_avx512(const View& view, std::uint64_t hash) noexcept;
void ribbon_contains_batch_avx512(const View& view, const std::uint64_t* hashes, std::size_t count,
                                  bool* hits) noexcept;
#endif

}  // namespace crivo
