#include "builder/build_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "crivo/host/system.h"

namespace crivo::plugin {
namespace {

constexpr std::size_t kChunkBytes = BuildMemory::kChunkBytes;

/// Address space of this many bytes, without memory, at a multiple of kChunkBytes. Null when the system refuses.
std::byte* reserve(std::size_t bytes) noexcept {
  void* const space = mmap(nullptr, bytes + kChunkBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (space == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(space);
  const std::size_t before = (kChunkBytes - reinterpret_cast<std::uintptr_t>(begin) % kChunkBytes) % kChunkBytes;
  if (before != 0) munmap(begin, before);
  munmap(begin + before + bytes, kChunkBytes - before);
  return begin + before;
}

std::byte* map_chunk(BuildMemory::Use use) {
  std::byte* const chunk = reserve(kChunkBytes);
  if (chunk == nullptr) throw std::bad_alloc();
  if (mprotect(chunk, kChunkBytes, PROT_READ | PROT_WRITE) != 0) {
    munmap(chunk, kChunkBytes);
    throw std::bad_alloc();
  }
  if (use == BuildMemory::Use::kToTheEnd) system::wish_huge_pages(chunk, kChunkBytes);
  return chunk;
}

}  // namespace

BuildMemory& BuildMemory::of_process() noexcept {
  alignas(BuildMemory) static std::byte memory[sizeof(BuildMemory)];
  static auto* const made = new (memory) BuildMemory;
  return *made;
}

BuildMemory::~BuildMemory() {
  while (kept_count_ != 0) munmap(pop_kept(), kChunkBytes);
}

std::byte* BuildMemory::pop_kept() noexcept {
  std::byte* const chunk = kept_[--kept_count_];
  marked_count_ = std::min(marked_count_, kept_count_);
  return chunk;
}

std::byte* BuildMemory::take_chunk(std::size_t limit, Use use) {
  const std::lock_guard lock(mutex_);
  if (limit < kChunkBytes || held_ > limit - kChunkBytes) return nullptr;
  std::byte* const chunk = kept_count_ != 0 ? pop_kept() : map_chunk(use);
  add(kChunkBytes);
  return chunk;
}

void BuildMemory::give_back(std::byte* chunk) noexcept {
  const std::lock_guard lock(mutex_);
  held_ -= kChunkBytes;
  if (kept_count_ == most_kept_) {
    munmap(chunk, kChunkBytes);
    return;
  }
  kept_[kept_count_++] = chunk;
  // Under the lock, because a builder that took the chunk meanwhile would lose what it writes.
  if (kept_count_ - marked_count_ > most_warm_) (void)madvise(kept_[marked_count_++], kChunkBytes, MADV_FREE);
}

bool BuildMemory::count(std::size_t bytes, std::size_t limit) noexcept {
  const std::lock_guard lock(mutex_);
  if (bytes > limit || held_ > limit - bytes) return false;
  while (kept_count_ != 0 && held_ + bytes + kept_count_ * kChunkBytes > limit) {
    munmap(pop_kept(), kChunkBytes);
  }
  add(bytes);
  return true;
}

void BuildMemory::add(std::size_t bytes) noexcept {
  held_ += bytes;
  peak_ = std::max(peak_, held_ + kept_count_ * kChunkBytes);
}

void BuildMemory::discount(std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  held_ -= bytes;
}

std::size_t BuildMemory::held() const noexcept {
  const std::lock_guard lock(mutex_);
  return held_;
}

std::size_t BuildMemory::kept() const noexcept {
  const std::lock_guard lock(mutex_);
  return kept_count_ * kChunkBytes;
}

std::size_t BuildMemory::take_peak() noexcept {
  const std::lock_guard lock(mutex_);
  return std::exchange(peak_, held_ + kept_count_ * kChunkBytes);
}

bool line_up(std::span<std::byte*> chunks) noexcept {
  // The address space for them all, of which each chunk replaces its part.
  std::byte* const place = reserve(chunks.size() * kChunkBytes);
  if (place == nullptr) return false;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::byte* const to = place + i * kChunkBytes;
    if (!system::move_pages(chunks[i], kChunkBytes, to)) {
      munmap(to, (chunks.size() - i) * kChunkBytes);
      return false;
    }
    chunks[i] = to;
  }
  return true;
}

}  // namespace crivo::plugin
