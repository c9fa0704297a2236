#include "crivo/convert.h"

#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "kinds/bloom/counter_block.h"

namespace crivo {

Result<AnyFilter> drop_counts(const FilterRef& counting) {
  Shape shape = counting.shape();
  if (shape.kind != Kind::kCounting) {
    return error(ErrorCode::kUnsupported, "kind must be counting, got ", kind_name(shape.kind));
  }
  shape.kind = Kind::kBlocked;
  AlignedBytes payload(static_cast<std::size_t>(shape.units) * kBlockBytes);
  for (std::uint64_t block = 0; block < shape.units; ++block) {
    const std::byte* counters = counting.payload().data() + block * kCounterBlockBytes;
    for (std::size_t word = 0; word < kWordsPerPlane; ++word) {
      store_le(payload.data() + block * kBlockBytes + word * 8, CounterWord(counters, word).above_zero());
    }
  }
  return AnyFilter::adopt(shape, counting.facts(), std::move(payload));
}

}  // namespace crivo
