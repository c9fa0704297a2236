#include "filters.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>

#include "crivo/host/sst_block.h"
#include "crivo/kinds.h"

namespace crivo::testing {
namespace {

template <class KeyOf>
std::vector<std::uint64_t> hashes_of(std::uint64_t count, std::uint64_t seed, std::uint64_t first, KeyOf key_of) {
  std::vector<std::uint64_t> hashes(count);
  for (std::uint64_t i = 0; i < count; ++i) hashes[i] = hash_key(key_of(first + i), seed);
  return hashes;
}

const KindInfo& find_info(Kind kind) { return *std::ranges::find(kinds(), kind, &KindInfo::kind); }

}  // namespace

std::string present_key(std::uint64_t i) { return "present-" + std::to_string(i); }
std::string absent_key(std::uint64_t i) { return "absent-" + std::to_string(i); }

std::vector<std::uint64_t> present_hashes(std::uint64_t count, std::uint64_t seed, std::uint64_t first) {
  return hashes_of(count, seed, first, &present_key);
}

std::vector<std::uint64_t> absent_hashes(std::uint64_t count, std::uint64_t seed, std::uint64_t first) {
  return hashes_of(count, seed, first, &absent_key);
}

std::vector<std::uint64_t> random_hashes(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> hashes(count);
  std::ranges::generate(hashes, std::mt19937_64(seed));
  return hashes;
}

Result<void> add_to(FilterBuilder& builder, Kind kind, std::span<const std::uint64_t> hashes) {
  if (!find_info(kind).can.needs_values()) return builder.add_hashes(hashes);
  std::vector<std::uint64_t> values(hashes.size(), 1);
  if (!find_info(kind).can.exact) std::ranges::transform(hashes, values.begin(), &value_of);
  return builder.add_hashes(hashes, values);
}

Result<AnyFilter> build_from(const FilterSpec& spec, const std::vector<std::uint64_t>& hashes,
                             const BuildOptions& options) {
  if (!find_info(spec.kind).can.needs_values()) return AnyFilter::build(spec, hashes, options);
  Result<FilterBuilder> builder = FilterBuilder::create(spec, options);
  if (!builder) return builder.error();
  if (auto added = add_to(*builder, spec.kind, hashes); !added) return added.error();
  return builder->finish();
}

Result<AnyFilter> build_exact(const FilterSpec& spec, std::span<const std::uint64_t> members,
                              std::span<const std::uint64_t> others, const BuildOptions& options) {
  Result<FilterBuilder> builder = FilterBuilder::create(spec, options);
  if (!builder) return builder.error();
  if (auto added = builder->add_hashes(others, std::vector<std::uint64_t>(others.size(), 0)); !added) {
    return added.error();
  }
  if (auto added = builder->add_hashes(members, std::vector<std::uint64_t>(members.size(), 1)); !added) {
    return added.error();
  }
  return builder->finish();
}

AnyFilter build_filter(const FilterSpec& spec, std::uint64_t n) {
  return *build_from(spec, present_hashes(n, spec.seed));
}

AnyFilter build_filter(Kind kind, std::uint64_t n, double fp_rate) {
  return build_filter({.kind = kind,
                       .capacity = std::max<std::uint64_t>(n, 1),
                       .fp_rate = fp_rate,
                       .value_bits = kValueBits,
                       .panes = 1},
                      n);
}

Bytes bytes_of(const AnyFilter& filter) { return {filter.payload().begin(), filter.payload().end()}; }

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Bytes blob_of(const FilterRef& filter, BlobForm form) { return *to_blob(filter, form); }

Bytes zstd_blob_of(const FilterRef& filter) {
  const auto payload = filter.payload();
  Bytes frame(ZSTD_compressBound(payload.size()));
  const std::size_t size =
      ZSTD_compress(frame.data(), frame.size(), payload.data(), payload.size(), kDefaultCompressionLevel);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  frame.resize(size);
  Bytes blob = with_payload(blob_of(filter), frame);
  return forge(blob, header::kCodec, static_cast<std::uint64_t>(Codec::kZstd));
}

Bytes sst_block_of(const FilterRef& filter, std::string_view key_transform) {
  Bytes block(filter.payload().size() + sst_tail_bytes(key_transform.size()));
  std::ranges::copy(filter.payload(), block.begin());
  seal_sst_block(filter.shape(), block, key_transform);
  return block;
}

std::uint64_t count_found(const FilterRef& filter, const std::vector<std::uint64_t>& hashes) {
  const auto hits = std::make_unique<bool[]>(hashes.size());
  filter.may_contain_hashes(hashes, {hits.get(), hashes.size()});
  return static_cast<std::uint64_t>(std::count(hits.get(), hits.get() + hashes.size(), true));
}

}  // namespace crivo::testing
