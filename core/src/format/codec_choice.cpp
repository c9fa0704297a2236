#include "format/codec_choice.h"

#include "base/bit_array.h"
#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

/// A payload of at most this size is read quickly as a whole, so its file needs no checksums per segment.
constexpr std::uint64_t kReadAsAWhole = 65536;

Codec choose_automatically(const FilterRef& filter) noexcept {
  if (filter.facts().pinned_raw) return Codec::kRaw;
  const KindRow& row = *find_kind(filter.shape().kind);
  if (row.bit_array_bits == nullptr) return filter.facts().keys == 0 ? Codec::kZstd : Codec::kRaw;
  return is_sparse(count_bits(filter.payload()), row.bit_array_bits(filter.shape())) ? Codec::kGapZstd : Codec::kRaw;
}

}  // namespace

std::optional<Codec> choose_codec(const FilterRef& filter, BlobForm form) noexcept {
  if (form == BlobForm::kSmallest) return std::nullopt;
  if (form == BlobForm::kRaw) return Codec::kRaw;
  if (form == BlobForm::kMappable) return Codec::kRawSums;
  const Codec codec = choose_automatically(filter);
  const bool with_sums = form == BlobForm::kFile && codec == Codec::kRaw && filter.payload().size() > kReadAsAWhole;
  return with_sums ? Codec::kRawSums : codec;
}

Result<void> check_level(int level) {
  if (level >= kMinCompressionLevel && level <= kMaxCompressionLevel) return {};
  return bad_argument("level must be in [", kMinCompressionLevel, ", ", kMaxCompressionLevel, "], got ", level);
}

}  // namespace crivo
