// Operations on whole payloads. In a payload that was decoded from a few bytes, the pages of zeros are not resident.
// These functions do not write to a page that is and stays zero, so the page stays non-resident.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "crivo/memory.h"

namespace crivo {

[[nodiscard]] inline bool is_zero(std::span<const std::byte> bytes) noexcept {
  return bytes.empty() ||
         (bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

void or_into(std::span<std::byte> into, const std::byte* other) noexcept;
void and_into(std::span<std::byte> into, const std::byte* other) noexcept;
[[nodiscard]] AlignedBytes copy_payload(std::span<const std::byte> payload);

/// A zeroed payload, for callers that write few pages. From 16 MiB on, huge pages are avoided.
[[nodiscard]] AlignedBytes sparse_payload(std::size_t bytes);
/// The granularity of the zero checks.
inline constexpr std::size_t kPageBytes = 4096;

/// Up to this share of set bits, the entropy per bit is at most 0.75 (docs/format.md, "Which codec").
inline constexpr double kSparseFill = 0.2145;

[[nodiscard]] inline bool is_sparse(std::uint64_t bits_set, std::uint64_t bits) noexcept {
  return static_cast<double>(bits_set) * 10000.0 <= static_cast<double>(bits) * (kSparseFill * 10000.0);
}

}  // namespace crivo
