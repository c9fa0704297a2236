// Identifies RocksDB's filters by the last five bytes, as BuiltinFilterPolicy::GetFilterBitsReader does, and only
// accepts blocks of sizes that RocksDB's filters can have, like policy/reader.cpp.
#include "sst/filter_facts.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "crivo/filter.h"
#include "crivo/host/sizing.h"
#include "crivo/host/sst_block.h"
#include "sst/checked_reader.h"

namespace crivo::sst {
namespace {

constexpr std::size_t kMetadataBytes = 5;
constexpr double kLineBytes = kBlockBits / 8.0;

std::span<const std::byte> bytes_of(std::string_view block) { return std::as_bytes(std::span(block)); }

/// Since 6.6, RocksDB's Bloom filters have blocks of a cache line, so Crivo's model predicts their rate.
double bloom_rate(std::size_t payload, std::uint64_t keys, unsigned probes) {
  return keys == 0 ? 0 : blocked_fp_rate(static_cast<double>(payload) / kLineBytes, static_cast<double>(keys), probes);
}

/// RocksDB's Ribbon has `blocks` blocks of 128 slots. A block has 16 bytes (a `row`) per column; the last blocks have
/// one column more than the first ones.
double ribbon_rate(std::size_t payload, std::uint64_t blocks) {
  const std::uint64_t rows = payload / 16;
  const std::uint64_t columns = (rows + blocks - 1) / blocks;
  if (columns == 0) return 1;
  const double poor_share = static_cast<double>(columns * blocks - rows) / static_cast<double>(blocks);
  return std::ldexp(1 + poor_share, -static_cast<int>(columns));
}

void describe_crivo(std::string_view block, FilterFacts& facts) {
  facts.key_transform = sst_key_transform(bytes_of(block));
  const auto filter = open_sst_block(bytes_of(block), facts.key_transform);
  if (!filter) {
    facts.damage = filter.error().message;
    return;
  }
  facts.kind = block_kind(filter->shape().kind);
  const Stats stats = filter->stats();
  facts.current_fp_rate = stats.current_fp_rate;
  facts.distinct_keys = stats.cardinality.value_or(static_cast<double>(facts.keys));
}

void describe_new_bloom(std::string_view block, FilterFacts& facts) {
  const std::string_view metadata = block.substr(block.size() - kMetadataBytes);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(metadata[i]); };
  const unsigned probes = byte(2) & 31U;
  const bool whole = (block.size() - kMetadataBytes) % static_cast<std::size_t>(kLineBytes) == 0;
  const bool known = whole && byte(1) == 0 && byte(2) >> 5 == 0 && byte(3) == 0 && byte(4) == 0;
  if (!known || probes < 1 || probes > 30) return;
  facts.kind = BlockKind::kBuiltinBloom;
  facts.current_fp_rate = bloom_rate(block.size() - kMetadataBytes, facts.keys, probes);
}

void describe_ribbon(std::string_view block, FilterFacts& facts) {
  const std::uint64_t blocks = fixed<std::uint32_t>(block.substr(block.size() - 4)) >> 8;
  if (blocks < 2) return;
  facts.kind = BlockKind::kBuiltinRibbon;
  facts.current_fp_rate = ribbon_rate(block.size() - kMetadataBytes, blocks);
}

/// The Bloom filter of format_version below 5, with 32-bit hashes. Its blocks have the size of a cache line of the
/// machine that wrote it: 64 bytes, or sometimes 128.
void describe_legacy_bloom(std::string_view block, FilterFacts& facts) {
  const std::size_t payload = block.size() - kMetadataBytes;
  const auto lines = fixed<std::uint32_t>(block.substr(block.size() - 4));
  if (lines == 0 || payload % lines != 0) return;
  facts.kind = BlockKind::kLegacyBloom;
  facts.current_fp_rate =
      std::min(1.0, bloom_rate(payload, facts.keys, static_cast<unsigned>(facts.marker)) + std::ldexp(facts.keys, -32));
}

void describe_builtin(std::string_view block, FilterFacts& facts) {
  const std::string_view payload = block.substr(0, block.size() - kMetadataBytes);
  const bool zeros = std::ranges::all_of(payload, [](char byte) { return byte == 0; });
  // A block that lets every key pass has 1 + 5 bytes. RocksDB's other blocks have 16 n + 5 bytes.
  if (facts.marker == 0 && zeros && payload.size() == 1) {
    facts.kind = BlockKind::kAlwaysMaybe;
    return;
  }
  if (block.size() % 16 != kMetadataBytes) {
    facts.damage = "size must be 16 n + 5 bytes, got " + std::to_string(block.size());
  } else if (facts.marker == 0) {
    facts.damage = "marker must not be 0";
  } else if (facts.marker == -1) {
    describe_new_bloom(block, facts);
  } else if (facts.marker == -2) {
    describe_ribbon(block, facts);
  } else if (facts.marker > 0) {
    describe_legacy_bloom(block, facts);
  }
  // A ribbon of few keys may be all zeros by chance, and a ribbon of up to 1 KiB may have few keys. Any other filter of
  // zeros would answer "no" for keys that it has.
  if (zeros && (facts.marker != -2 || payload.size() > 1024))
    facts.damage = "filter must have set bits, got only zeros";
}

}  // namespace

BlockKind block_kind(Kind kind) noexcept { return kind == Kind::kRibbon ? BlockKind::kRibbon : BlockKind::kBlocked; }

std::string_view name_of(BlockKind kind) noexcept {
  constexpr std::string_view kNames[] = {
      "blocked",         "ribbon",       "rocksdb.bloom", "rocksdb.ribbon", "rocksdb.legacy_bloom",
      "rocksdb.no_keys", "always_maybe", "unknown"};
  return kNames[static_cast<std::size_t>(kind)];
}

FilterFacts describe_filter(std::string_view block, std::uint64_t keys, bool matches, bool may_lack_keys) {
  FilterFacts facts;
  facts.bytes = block.size();
  facts.keys = keys;
  if (block.size() <= kMetadataBytes) {  // RocksDB's reader answers "no" for every key
    const bool without_keys = may_lack_keys && matches;
    if (without_keys) facts.kind = BlockKind::kNoKeys;
    facts.current_fp_rate = without_keys ? 0 : 1;
    if (!without_keys) facts.damage = "block must have more than 5 bytes, got " + std::to_string(block.size());
    return facts;
  }
  const int marker = static_cast<unsigned char>(block[block.size() - kMetadataBytes]);
  facts.marker = marker < 0x80 ? marker : marker - 0x100;
  if (is_sst_block(bytes_of(block))) {
    describe_crivo(block, facts);
  } else {
    describe_builtin(block, facts);
  }
  if (!matches) facts.damage = "block must match the file's checksum, got a damaged one";
  if (!facts.can_reject()) facts.current_fp_rate = 1;
  return facts;
}

}  // namespace crivo::sst
