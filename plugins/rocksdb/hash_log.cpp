// Keeps the hashes in anonymous pages, which Linux's mmap and mremap give and move. malloc would copy the array when it
// grows, and would keep its memory after it is freed.
#include "hash_log.h"

#include <sys/mman.h>

#include <new>

#include "crivo/hash.h"

namespace crivo {
namespace {

constexpr std::size_t kFirstHashes = 8192;  // 64 KiB
constexpr std::size_t kGrowth = 8;          // a full array grows by one eighth

constexpr std::size_t bytes_of(std::size_t hashes) noexcept { return hashes * sizeof(std::uint64_t); }

}  // namespace

void HashLog::grow() {
  const std::size_t capacity = capacity_ == 0 ? kFirstHashes : capacity_ + capacity_ / kGrowth;
  void* const memory =
      capacity_ == 0 ? mmap(nullptr, bytes_of(capacity), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : mremap(hashes_, bytes_of(capacity_), bytes_of(capacity), MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  hashes_ = static_cast<std::uint64_t*>(memory);
  capacity_ = capacity;
}

void HashLog::make_set() { size_ = sort_distinct({hashes_, size_}).size(); }

void HashLog::clear() noexcept {
  if (capacity_ > kFirstHashes) release();
  size_ = 0;
}

void HashLog::release() noexcept {
  if (capacity_ != 0) munmap(hashes_, bytes_of(capacity_));
  hashes_ = nullptr;
  size_ = 0;
  capacity_ = 0;
}

}  // namespace crivo
