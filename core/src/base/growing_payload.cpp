#include "base/growing_payload.h"

#include <algorithm>
#include <bit>
#include <memory_resource>
#include <new>
#include <utility>

#include "crivo/host/system.h"

namespace crivo {
namespace {

constexpr std::size_t kReservedFrom = std::size_t{1} << 20;

/// The memory to commit for a payload of this size, which must be at least 1 MiB: whole pages, at most an eighth more
/// than the size.
std::size_t memory_for(std::size_t bytes) noexcept {
  const std::size_t step = std::max(std::bit_floor(bytes) / 8, std::size_t{1});
  return (bytes + step - 1) / step * step;
}

class ReservedAddresses final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* begin = system::reserve_addresses(bytes);
    if (begin == nullptr) throw std::bad_alloc();
    system::advise_huge_pages(begin, bytes);
    return begin;
  }
  void do_deallocate(void* begin, std::size_t bytes, std::size_t) override { system::release_addresses(begin, bytes); }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// Never destroyed, because a filter may outlive other static objects.
ReservedAddresses& reserved_addresses() {
  alignas(ReservedAddresses) static std::byte place[sizeof(ReservedAddresses)];
  static auto& addresses = *new (place) ReservedAddresses;
  return addresses;
}

void commit_memory(AlignedBytes& payload, std::size_t before, std::size_t bytes) {
  const std::size_t from = before == 0 ? 0 : memory_for(before);
  const std::size_t to = std::min(memory_for(bytes), payload.capacity());
  if (to > from && !system::commit_memory(payload.data() + from, to - from)) throw std::bad_alloc();
}

/// Moves the payload to `to`, after committing memory for `bytes` if `to` has reserved addresses.
void move_payload(AlignedBytes& payload, AlignedBytes to, std::size_t bytes) {
  if (to.get_allocator().resource != nullptr) commit_memory(to, 0, bytes);
  to.resize(payload.size());
  std::ranges::copy(payload, to.begin());
  payload.swap(to);
}

/// Moves the payload to reserved addresses. Returns false if that is impossible.
bool reserve(AlignedBytes& payload, std::size_t bytes, std::size_t most) try {
  if (sizeof(void*) < 8) return false;  // a few payloads would exhaust the addresses
  AlignedBytes reserved{CacheAlignedAllocator<std::byte>(&reserved_addresses())};
  reserved.reserve(most);
  move_payload(payload, std::move(reserved), bytes);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

}  // namespace

void grow_payload(AlignedBytes& payload, std::size_t bytes, std::size_t most) {
  const bool is_reserved = payload.get_allocator().resource == &reserved_addresses();
  if (is_reserved && bytes <= payload.capacity()) {
    commit_memory(payload, payload.size(), bytes);
  } else if (bytes > payload.capacity() && (bytes < kReservedFrom || !reserve(payload, bytes, most))) {
    AlignedBytes larger;
    larger.reserve(bytes <= most / 2 ? 2 * bytes : most);
    move_payload(payload, std::move(larger), bytes);
  }
  payload.resize(bytes);
}

}  // namespace crivo
