// A sketch whose symbols lie in pages that are read and written one by one, such as rows of a database table. A key
// stands in about 2 ln(m) of m symbols, half of them among the first sqrt(m).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/host/paged_filter.h"
#include "crivo/sketch.h"

namespace crivo {

/// Changes a sketch as class Sketch does, and by the same names, in the pages of a source, which it borrows. What the
/// source throws passes through; pages that it handed out before may have been changed.
class PagedSketch {
 public:
  /// As many symbols in a page as fit in page_bytes; the last page may have fewer. Errors: kBadArgument for a spec that
  /// is not allowed, or whose symbols do not begin with number 0, or need larger pages.
  [[nodiscard]] static Result<PagedSketch> open(const SketchSpec& spec, std::size_t page_bytes, PageSource& pages);

  [[nodiscard]] const SketchSpec& spec() const noexcept { return spec_; }
  [[nodiscard]] std::uint64_t pages() const noexcept;
  [[nodiscard]] std::size_t bytes_of(std::uint64_t page) const noexcept;

  /// Errors: as those of Sketch, with no page asked for.
  Result<void> add(std::string_view key) { return change(key, true); }
  Result<void> remove(std::string_view key) { return change(key, false); }
  Result<void> add_numbers(std::span<const std::uint64_t> numbers) { return change(numbers, true); }
  Result<void> remove_numbers(std::span<const std::uint64_t> numbers) { return change(numbers, false); }

  /// Writes a page: the symbols that this sketch has there. Its spec must be the same.
  void store(const Sketch& sketch, std::uint64_t page);
  /// So many symbols from number `first` on, as a sketch of `keys` keys. Errors: as Sketch::create; kBadArgument if
  /// the pages have fewer.
  [[nodiscard]] Result<Sketch> part(std::uint64_t first, std::uint64_t symbols, std::uint64_t keys,
                                    std::uint64_t max_bytes);

 private:
  PagedSketch(const SketchSpec& spec, std::uint64_t symbols_per_page, PageSource& pages) noexcept
      : spec_(spec), per_page_(symbols_per_page), pages_(&pages) {}
  void apply(const std::array<std::byte, kMaxSketchKeyBytes>& key, bool add);
  Result<void> change(std::string_view key, bool add);
  Result<void> change(std::span<const std::uint64_t> numbers, bool add);

  SketchSpec spec_;
  std::uint64_t per_page_;
  PageSource* pages_;
};

}  // namespace crivo
