#include "format/codec_choice.h"

#include "base/sparse.h"
#include "crivo/host/bytes.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

/// A payload of at most this many bytes is read as a whole in no time, so a file of it needs no sums.
constexpr std::uint64_t kReadAsAWhole = 65536;

}  // namespace

Codec choose_codec(const FilterRef& filter) noexcept {
  if (filter.facts().pinned_raw) return Codec::kRaw;
  const KindRow& row = *find_kind(filter.shape().kind);
  if (row.bit_array_bits == nullptr) return filter.facts().keys == 0 ? Codec::kZstd : Codec::kRaw;
  return is_sparse(count_bits(filter.payload()), row.bit_array_bits(filter.shape())) ? Codec::kGapZstd : Codec::kRaw;
}

Codec choose_file_codec(const FilterRef& filter) noexcept {
  const Codec codec = choose_codec(filter);
  return codec == Codec::kRaw && filter.payload().size() > kReadAsAWhole ? Codec::kRawSums : codec;
}

}  // namespace crivo
