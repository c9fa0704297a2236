#include "crivo/host/paged_sketch.h"

#include <algorithm>
#include <cstring>

#include "base/error_text.h"
#include "sketch/keys.h"

namespace crivo {

Result<PagedSketch> PagedSketch::open(const SketchSpec& spec, std::size_t page_bytes, PageSource& pages) {
  if (auto valid = check_sketch(spec, ErrorCode::kBadArgument); !valid) return valid.error();
  if (spec.first != 0) return bad_argument("first must be 0 for symbols in pages, got ", spec.first);
  const std::uint64_t per_page = page_bytes / symbol_bytes(spec);
  if (per_page == 0) {
    return bad_argument("page_bytes must be at least the ", symbol_bytes(spec), " of a symbol, got ", page_bytes);
  }
  return PagedSketch(spec, per_page, pages);
}

std::uint64_t PagedSketch::pages() const noexcept { return (spec_.symbols - 1) / per_page_ + 1; }

std::size_t PagedSketch::bytes_of(std::uint64_t page) const noexcept {
  return static_cast<std::size_t>(std::min(per_page_, spec_.symbols - page * per_page_)) * symbol_bytes(spec_);
}

void PagedSketch::apply(const SymbolKey& key, bool add) {
  const SymbolTerm term(key, spec_.key_bytes, spec_.seed);
  for (SymbolIndices indices(term.steps); indices.index() < spec_.symbols; indices.advance()) {
    const std::uint64_t page = indices.index() / per_page_;
    Symbols symbols({pages_->write(page), bytes_of(page)}, spec_.key_bytes, page * per_page_);
    symbols.apply_at(indices.index() - page * per_page_, term.key, add ? term.check : 0 - term.check);
  }
}

Result<void> PagedSketch::change(std::string_view key, bool add) {
  const Result<SymbolKey> known = known_as(spec_, key);
  if (!known) return known.error();
  apply(*known, add);
  return {};
}

Result<void> PagedSketch::change(std::span<const std::uint64_t> numbers, bool add) {
  if (auto valid = check_numbers(spec_); !valid) return valid;
  for (const std::uint64_t number : numbers) apply(symbol_key(number), add);
  return {};
}

void PagedSketch::store(const Sketch& sketch, std::uint64_t page) {
  const auto from = static_cast<std::size_t>(page * per_page_) * symbol_bytes(spec_);
  std::memcpy(pages_->write(page), sketch.payload_.data() + kFirstBytes + from, bytes_of(page));
}

Result<Sketch> PagedSketch::part(std::uint64_t first, std::uint64_t symbols, std::uint64_t keys,
                                 std::uint64_t max_bytes) {
  SketchSpec spec = spec_;
  spec.first = first;
  spec.symbols = symbols;
  if (first >= spec_.symbols) {
    return bad_argument("first must be below the ", spec_.symbols, " symbols that are kept, got ", first);
  }
  if (symbols > spec_.symbols - first) {
    return bad_argument("first + symbols must be at most the ", spec_.symbols, " that are kept, got ", first, " + ",
                        symbols);
  }
  Result<Sketch> sketch = Sketch::create(spec, max_bytes);
  if (!sketch) return sketch;
  sketch->keys_ = keys;
  std::byte* into = sketch->payload_.data() + kFirstBytes;
  for (std::uint64_t next = first; next < first + symbols;) {
    const std::uint64_t page = next / per_page_;
    const std::uint64_t end = std::min(first + symbols, (page + 1) * per_page_);
    const auto bytes = static_cast<std::size_t>(end - next) * symbol_bytes(spec_);
    if (const std::byte* stored = pages_->read(page); stored != nullptr) {
      std::memcpy(into, stored + static_cast<std::size_t>(next - page * per_page_) * symbol_bytes(spec_), bytes);
    }
    into += bytes;
    next = end;
  }
  return sketch;
}

}  // namespace crivo
