// Operations on whole payloads. The system has made no page yet for the zeros of a payload that was decoded from a few
// bytes; these functions read such pages and do not write to them, so that none is made.
#pragma once

#include <cstddef>
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

/// Zeros for a payload in which few pages will have other bytes: without huge pages, where one byte takes 2 MiB.
[[nodiscard]] AlignedBytes sparse_payload(std::size_t bytes);
/// The size of the pages that are looked at.
inline constexpr std::size_t kPageBytes = 4096;

}  // namespace crivo
