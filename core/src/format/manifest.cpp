#include "format/manifest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>

#include "base/error_text.h"
#include "crivo/hash.h"
#include "crivo/host/bytes.h"
#include "crivo/kinds.h"
#include "filter/facts.h"
#include "format/blob_header.h"
#include "format/blob_sums.h"

namespace crivo {
namespace {

constexpr std::uint64_t kShardMultiplier = 0xAF251AF3B0F025B5;  // Steele & Vigna 2022; no kind uses it

}  // namespace

Result<void> check_number_of_shards(std::uint64_t shards) {
  if (std::has_single_bit(shards) && shards <= kMaxShards) return {};
  return bad_argument("shards must be a power of two, 1 to ", kMaxShards, ", got ", shards);
}

std::uint32_t shard_of(std::uint64_t key_hash, std::uint32_t shards) noexcept {
  const int bits = std::countr_zero(shards);
  return bits == 0 ? 0 : static_cast<std::uint32_t>(key_hash * kShardMultiplier >> (64 - bits));
}

std::uint32_t Manifest::shard_of(std::string_view key) const noexcept {
  return crivo::shard_of(hash_key(key, seed), static_cast<std::uint32_t>(shards.size()));
}

std::string Manifest::file_name(std::uint32_t number) const { return shard_file_name(number, shards[number].checksum); }

Facts Manifest::facts() const noexcept {
  Facts all;
  for (const Shard& shard : shards) {
    all.keys = saturating_add(all.keys, shard.facts.keys);
    all.capacity = std::min(kMaxCapacity, saturating_add(all.capacity, shard.facts.capacity));
    all.fp_rate = std::max(all.fp_rate, shard.facts.fp_rate);
  }
  return all;
}

std::uint64_t Manifest::bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const Shard& shard : shards) bytes = saturating_add(bytes, shard.bytes);
  return bytes;
}

std::vector<std::byte> manifest_blob(const Manifest& manifest) {
  std::vector<std::byte> blob(kBlobHeaderBytes + kShardBytes * manifest.shards.size());
  const std::span<std::byte> payload = std::span(blob).subspan(kBlobHeaderBytes);
  ByteWriter writer(payload);
  for (const Shard& shard : manifest.shards) {
    writer.write(shard.checksum);
    writer.write(shard.bytes);
    writer.write(shard.facts.keys);
    writer.write(shard.facts.capacity);
    writer.write_f64(shard.facts.fp_rate);
  }
  BlobSums sums(Codec::kRaw);
  sums.add(payload);
  const BlobFrame frame = sums.finish(shape_of_shards(manifest), manifest.facts());
  std::ranges::copy(frame.header, blob.begin());
  return blob;
}

bool Manifest::is_manifest(std::span<const std::byte> blob) noexcept {
  return check_start(blob) && read_fields(blob).shape.kind == Kind::kSharded;
}

Result<Manifest> Manifest::parse(std::span<const std::byte> blob) {
  if (auto valid = check_envelope(blob); !valid) return valid.error();
  const Header header = read_fields(blob);
  const Shape& shape = header.shape;
  if (shape.kind != Kind::kSharded) {
    return corrupt("kind must be sharded (a manifest), got ", kind_name(shape.kind));
  }
  if (header.flags != 0) return corrupt("flags must be 0, got ", header.flags);
  if (header.codec != Codec::kRaw)
    return corrupt("codec of a manifest must be 0, got ", static_cast<unsigned>(header.codec));
  if (shape.hash_id != HashId::kXxh3_64)
    return corrupt("hash id must be 1, got ", static_cast<unsigned>(shape.hash_id));
  if (shape.param != 0) return corrupt("kind parameter must be 0, got ", shape.param);
  if (!check_number_of_shards(shape.units) || shape.k != std::countr_zero(shape.units)) {
    return corrupt("number of shards must be 2^k, 1 to ", kMaxShards, ", got ", shape.units,
                   " with k = ", unsigned{shape.k});
  }
  const std::uint64_t bytes = kShardBytes * shape.units;
  if (header.raw_bytes != bytes || blob.size() != kBlobHeaderBytes + bytes) {
    return corrupt("raw payload bytes must be ", bytes, " for this number of shards, got ", header.raw_bytes, ", and ",
                   blob.size() - kBlobHeaderBytes, " in the file");
  }
  Manifest manifest{shape.seed, std::vector<Shard>(static_cast<std::size_t>(shape.units))};
  ByteReader reader(blob.subspan(kBlobHeaderBytes));
  for (Shard& shard : manifest.shards) {
    shard.checksum = reader.read<std::uint64_t>();
    shard.bytes = reader.read<std::uint64_t>();
    shard.facts.keys = reader.read<std::uint64_t>();
    shard.facts.capacity = reader.read<std::uint64_t>();
    shard.facts.fp_rate = reader.read_f64();
    if (auto valid = check_facts(shard.facts); !valid) return valid.error();
  }
  Facts stated = header.facts;
  stated.pinned_raw = false;
  if (stated != manifest.facts()) return corrupt("keys, capacity and rate must be those of all shards, got others");
  return manifest;
}

Shape shape_of_shards(const Manifest& manifest) noexcept {
  return {.kind = Kind::kSharded,
          .k = static_cast<std::uint8_t>(std::countr_zero(manifest.shards.size())),
          .units = manifest.shards.size(),
          .seed = manifest.seed};
}

std::string shard_file_name(std::uint32_t number, std::uint64_t checksum) {
  std::array<char, 40> name{};
  std::snprintf(name.data(), name.size(), "%05u-%016llx.crivo", number, static_cast<unsigned long long>(checksum));
  return name.data();
}

Result<void> check_kind_of_shards(const KindInfo& kind) {
  if (!kind.can.range && !kind.can.needs_values() && !kind.can.advance) return {};
  return error(ErrorCode::kUnsupported, "kind must have neither ordered keys, values nor a clock to be sharded, got ",
               kind.name);
}

}  // namespace crivo
