#include "block_memory.h"

#include <cstdint>
#include <cstring>
#include <new>

namespace crivo {
namespace {

// new char[] aligns for numbers, and a payload begins at a cache line. What lies between the two holds the pointer to
// the array.
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(char*), "the pointer fits before the next cache line");

char* array_of(const std::byte* payload) noexcept {
  char* array = nullptr;
  std::memcpy(&array, payload - sizeof array, sizeof array);
  return array;
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
  if (payload != taken_) delete[] array_of(payload);
}

std::byte* BlockMemory::take(std::span<const std::byte> payload, std::unique_ptr<const char[]>* owner) noexcept {
  taken_ = payload.data();
  char* const array = array_of(taken_);
  owner->reset(array);
  return reinterpret_cast<std::byte*>(array) + (taken_ - reinterpret_cast<const std::byte*>(array));
}

void* TemporaryMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (!memory_.count(bytes, limit_)) throw std::bad_alloc();
  try {
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  } catch (...) {
    memory_.discount(bytes);
    throw;
  }
}

void TemporaryMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  memory_.discount(bytes);
}

}  // namespace crivo
