#include "builder/block_memory.h"

#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "crivo/memory.h"

namespace crivo::plugin {
namespace {

// A payload begins at a cache line, but new char[] guarantees only the default alignment. The gap before the payload
// stores the pointer to the array.
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(char*), "the pointer fits before the next cache line");

char* array_of(const std::byte* payload) noexcept {
  char* array = nullptr;
  std::memcpy(&array, payload - sizeof array, sizeof array);
  return array;
}

// Smaller allocations come from the heap, which usually needs no system call.
constexpr std::size_t kLargeBytes = std::size_t{64} << 10;

constexpr std::size_t whole_lines(std::size_t bytes) noexcept {
  return (bytes + kCacheLineBytes - 1) / kCacheLineBytes * kCacheLineBytes;
}

}  // namespace

void* BlockMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  char* const array = new char[alignment + bytes + tail_bytes_];
  char* const payload = array + (alignment - reinterpret_cast<std::uintptr_t>(array) % alignment);
  std::memcpy(payload - sizeof array, &array, sizeof array);
  return std::memset(payload, 0, bytes);
}

void BlockMemory::do_deallocate(void* memory, std::size_t, std::size_t) {
  const auto* const payload = static_cast<const std::byte*>(memory);
  if (payload != released_) delete[] array_of(payload);
}

std::byte* BlockMemory::take(std::span<const std::byte> payload, std::unique_ptr<const char[]>* owner) noexcept {
  released_ = payload.data();
  char* const array = array_of(released_);
  owner->reset(array);
  return reinterpret_cast<std::byte*>(array) + (released_ - reinterpret_cast<const std::byte*>(array));
}

TemporaryMemory::~TemporaryMemory() {
  if (chunk_ != nullptr) memory_.free_chunk(chunk_);
}

bool TemporaryMemory::in_chunk(const void* memory) const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const auto begin = reinterpret_cast<std::uintptr_t>(chunk_);
  return chunk_ != nullptr && address >= begin && address < begin + BuildMemory::kChunkBytes;
}

void TemporaryMemory::charge(std::size_t bytes) {
  if (!charge_.set(charged_ + bytes)) {
    (void)charge_.set(charged_);  // undoes a partial charge
    throw std::bad_alloc();
  }
  charged_ += bytes;
}

void TemporaryMemory::uncharge(std::size_t bytes) noexcept {
  charged_ -= bytes;
  (void)charge_.set(charged_);
}

void* TemporaryMemory::allocate_in_chunk(std::size_t bytes) {
  if (whole_lines(bytes) > BuildMemory::kChunkBytes - used_) return nullptr;
  if (chunk_ == nullptr) chunk_ = memory_.allocate_chunk(limit_);
  if (chunk_ == nullptr) return nullptr;
  const std::size_t end = used_ + whole_lines(bytes);
  if (end > touched_) {
    charge(end - touched_);
    touched_ = end;
  }
  return chunk_ + std::exchange(used_, end);
}

void* TemporaryMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes >= kLargeBytes && alignment <= kCacheLineBytes) {
    if (void* const piece = allocate_in_chunk(bytes); piece != nullptr) return piece;
  }
  charge(bytes);
  bool counted = false;
  try {
    counted = memory_.count(bytes, limit_);
    if (counted) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  } catch (const std::bad_alloc&) {
    memory_.discount(bytes);
  }
  uncharge(bytes);
  throw std::bad_alloc();
}

void TemporaryMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  if (in_chunk(memory)) {
    const auto at = static_cast<std::size_t>(static_cast<std::byte*>(memory) - chunk_);
    if (at + whole_lines(bytes) == used_) used_ = at;
    return;
  }
  std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  memory_.discount(bytes);
  uncharge(bytes);
}

}  // namespace crivo::plugin
