#include "builder/build_memory.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "crivo/host/system.h"

namespace crivo::plugin {
namespace {

constexpr std::size_t kChunkBytes = BuildMemory::kChunkBytes;

/// Reserves address space without memory, aligned to kChunkBytes. Null if the system refuses.
std::byte* reserve(std::size_t bytes) noexcept {
  auto* const begin = static_cast<std::byte*>(system::reserve_addresses(bytes + kChunkBytes));
  if (begin == nullptr) return nullptr;
  const std::size_t before = (kChunkBytes - reinterpret_cast<std::uintptr_t>(begin) % kChunkBytes) % kChunkBytes;
  if (before != 0) system::release_addresses(begin, before);
  system::release_addresses(begin + before + bytes, kChunkBytes - before);
  return begin + before;
}

void release(std::byte* chunk) noexcept { system::release_addresses(chunk, kChunkBytes); }

std::byte* map_chunk(BuildMemory::Use use) {
  std::byte* const chunk = reserve(kChunkBytes);
  if (chunk == nullptr) throw std::bad_alloc();
  if (!system::commit_memory(chunk, kChunkBytes)) {
    release(chunk);
    throw std::bad_alloc();
  }
  if (use == BuildMemory::Use::kToTheEnd) system::advise_huge_pages(chunk, kChunkBytes);
  return chunk;
}

}  // namespace

BuildMemory& BuildMemory::of_process() noexcept {
  alignas(BuildMemory) static std::byte memory[sizeof(BuildMemory)];
  static auto* const made = new (memory) BuildMemory;
  return *made;
}

BuildMemory::~BuildMemory() {
  while (cached_count_ != 0) release(cached_[--cached_count_]);
}

std::byte* BuildMemory::allocate_chunk(std::size_t limit, Use use) {
  const std::lock_guard lock(mutex_);
  if (limit < kChunkBytes || held_ > limit - kChunkBytes) return nullptr;
  std::byte* const chunk = cached_count_ != 0 ? cached_[--cached_count_] : map_chunk(use);
  add(kChunkBytes);
  return chunk;
}

void BuildMemory::free_chunk(std::byte* chunk) noexcept {
  const std::lock_guard lock(mutex_);
  held_ -= kChunkBytes;
  if (cached_count_ < max_cached_) {
    cached_[cached_count_++] = chunk;
  } else {
    release(chunk);
  }
}

bool BuildMemory::count(std::size_t bytes, std::size_t limit) noexcept {
  const std::lock_guard lock(mutex_);
  if (bytes > limit || held_ > limit - bytes) return false;
  while (cached_count_ != 0 && held_ + bytes + cached_count_ * kChunkBytes > limit) {
    release(cached_[--cached_count_]);
  }
  add(bytes);
  return true;
}

void BuildMemory::add(std::size_t bytes) noexcept {
  held_ += bytes;
  peak_ = std::max(peak_, held_ + cached_count_ * kChunkBytes);
}

void BuildMemory::discount(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  held_ -= bytes;
}

std::size_t BuildMemory::held() const noexcept {
  const std::lock_guard lock(mutex_);
  return held_;
}

std::size_t BuildMemory::cached_bytes() const noexcept {
  const std::lock_guard lock(mutex_);
  return cached_count_ * kChunkBytes;
}

std::size_t BuildMemory::reset_peak() noexcept {
  const std::lock_guard lock(mutex_);
  return std::exchange(peak_, held_ + cached_count_ * kChunkBytes);
}

bool make_adjacent(std::span<std::byte*> chunks) noexcept {
  // Reserves adjacent addresses for all chunks, and then moves each chunk to its place.
  std::byte* const place = reserve(chunks.size() * kChunkBytes);
  if (place == nullptr) return false;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::byte* const to = place + i * kChunkBytes;
    if (!system::move_pages(chunks[i], kChunkBytes, to)) {
      system::release_addresses(to, (chunks.size() - i) * kChunkBytes);
      return false;
    }
    chunks[i] = to;
  }
  return true;
}

}  // namespace crivo::plugin
