#include "base/lazy_memory.h"

#include <cstdlib>
#include <new>
#include <utility>

#include "crivo/host/system.h"

namespace crivo {

LazyMemory::LazyMemory(std::size_t bytes) : size_(bytes) {
  if (void* begin = system::reserve_addresses(bytes); begin != nullptr) {
    data_ = static_cast<std::byte*>(begin);
    is_reserved_ = true;
    if (!system::give_memory(begin, bytes)) {
      system::release_addresses(begin, bytes);
      throw std::bad_alloc();
    }
    system::wish_small_pages(begin, bytes);
  } else {
    data_ = static_cast<std::byte*>(std::malloc(bytes));
    if (data_ == nullptr) throw std::bad_alloc();
  }
}

LazyMemory::LazyMemory(LazyMemory&& other) noexcept { *this = std::move(other); }

LazyMemory& LazyMemory::operator=(LazyMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(is_reserved_, other.is_reserved_);
  return *this;
}

LazyMemory::~LazyMemory() {
  if (is_reserved_) {
    system::release_addresses(data_, size_);
  } else {
    std::free(data_);
  }
}

}  // namespace crivo
