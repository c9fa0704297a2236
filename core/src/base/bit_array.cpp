#include "base/bit_array.h"

#include <algorithm>

#include "crivo/host/system.h"

namespace crivo {
namespace {

/// Calls use(offset, bytes) for each page that contains a nonzero byte.
template <class Use>
void for_each_filled_page(std::span<const std::byte> bytes, const Use& use) {
  for (std::size_t at = 0; at < bytes.size(); at += kPageBytes) {
    const std::size_t size = std::min(kPageBytes, bytes.size() - at);
    if (!is_zero(bytes.subspan(at, size))) use(at, size);
  }
}

}  // namespace

void or_into(std::span<std::byte> into, const std::byte* other) noexcept {
  for_each_filled_page({other, into.size()}, [&](std::size_t at, std::size_t size) {
    for (std::size_t i = at; i < at + size; ++i) into[i] |= other[i];
  });
}

void and_into(std::span<std::byte> into, const std::byte* other) noexcept {
  for_each_filled_page(into, [&](std::size_t at, std::size_t size) {
    for (std::size_t i = at; i < at + size; ++i) into[i] &= other[i];
  });
}

AlignedBytes copy_payload(std::span<const std::byte> payload) {
  std::size_t filled = 0;
  for_each_filled_page(payload, [&](std::size_t, std::size_t size) { filled += size; });
  AlignedBytes copy = filled < payload.size() / 8 ? sparse_payload(payload.size()) : AlignedBytes(payload.size());
  for_each_filled_page(
      payload, [&](std::size_t at, std::size_t size) { std::memcpy(copy.data() + at, payload.data() + at, size); });
  return copy;
}

AlignedBytes sparse_payload(std::size_t bytes) {
  constexpr std::size_t kMinBytes = std::size_t{1} << 24;  // smaller allocations share pages with other memory
  AlignedBytes payload(bytes);
  if (bytes >= kMinBytes) system::advise_small_pages(payload.data(), bytes);
  return payload;
}

}  // namespace crivo
