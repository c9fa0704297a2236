// Memory for something large of which most is never used: only the pages that are written to become the process's own.
#pragma once

#include <cstddef>

namespace crivo {

/// Whether pages that are freed are given back. In a browser they are not.
inline constexpr bool kGivesPagesBack = sizeof(void*) >= 8;

/// Its bytes are any until they are written.
class LazyMemory {
 public:
  LazyMemory() = default;
  /// Throws std::bad_alloc.
  explicit LazyMemory(std::size_t bytes);
  LazyMemory(LazyMemory&& other) noexcept;
  LazyMemory& operator=(LazyMemory&& other) noexcept;
  ~LazyMemory();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool is_reserved_ = false;  // as addresses; else it is of malloc
};

}  // namespace crivo
