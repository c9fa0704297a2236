// Writes and reads chunks (docs/format.md, "Chunks"). The reader appends the next chunk to the received prefix of the
// blob, and stores a later chunk in a map. No allocation depends on a size that a chunk states.
#include "crivo/host/chunks.h"

#include <algorithm>
#include <string>

#include "base/error_text.h"
#include "crivo/hash.h"
#include "crivo/host/bytes.h"
#include "format/blob_header.h"

namespace crivo {
namespace {

constexpr std::byte kMagic[4] = {std::byte{0xC3}, std::byte{'R'}, std::byte{'V'}, std::byte{'C'}};
constexpr std::byte kChunkVersion{1};
constexpr std::size_t kChunkChecksumOffset = 8;
constexpr std::size_t kCheckedOffset = 16;  // the checksum covers all bytes from here on
constexpr std::uint64_t kMaxChunks = std::uint64_t{1} << 32;

std::uint64_t checksum_of(std::span<const std::byte> chunk) noexcept {
  const std::span<const std::byte> checked = chunk.subspan(kCheckedOffset);
  return hash_key({reinterpret_cast<const char*>(checked.data()), checked.size()}, 0);
}

/// A blob is identified by its checksum.
std::uint64_t id_of(std::span<const std::byte> blob) noexcept {
  return load_le<std::uint64_t>(blob.data() + kChecksumOffset);
}

constexpr std::uint64_t number_of_chunks(std::uint64_t blob_bytes, std::uint32_t data_bytes) noexcept {
  return blob_bytes / data_bytes + (blob_bytes % data_bytes != 0 ? 1 : 0);
}

/// The name of a chunk in errors.
std::string named(std::optional<std::uint64_t> seq) { return seq ? "chunk " + std::to_string(*seq) : "chunk"; }

}  // namespace

Result<ChunkWriter> ChunkWriter::create(std::span<const std::byte> blob, std::size_t chunk_bytes) {
  if (chunk_bytes < kMinChunkBytes || chunk_bytes > kMaxChunkBytes) {
    return bad_argument("chunk bytes must be in [", kMinChunkBytes, ", ", kMaxChunkBytes, "], got ", chunk_bytes);
  }
  if (blob.size() < kBlobHeaderBytes) {
    return corrupt("blob size must be at least ", kBlobHeaderBytes, " bytes, got ", blob.size());
  }
  const auto data_bytes = static_cast<std::uint32_t>(chunk_bytes - kChunkHeaderBytes);
  if (const std::uint64_t chunks = number_of_chunks(blob.size(), data_bytes); chunks > kMaxChunks) {
    return bad_argument("chunk bytes must give at most ", kMaxChunks, " chunks, got ", chunk_bytes, ", which gives ",
                        chunks);
  }
  return ChunkWriter(blob, data_bytes);
}

std::uint64_t ChunkWriter::chunks() const noexcept { return number_of_chunks(blob_.size(), data_bytes_); }

std::vector<std::byte> ChunkWriter::chunk(std::uint64_t seq) const {
  const std::size_t from = static_cast<std::size_t>(seq) * data_bytes_;
  const auto data = blob_.subspan(from, std::min<std::size_t>(data_bytes_, blob_.size() - from));
  std::vector<std::byte> chunk(kChunkHeaderBytes + data.size());
  std::copy(std::begin(kMagic), std::end(kMagic), chunk.begin());
  chunk[sizeof kMagic] = kChunkVersion;
  ByteWriter writer(std::span<std::byte>(chunk).subspan(kCheckedOffset));
  writer.write(id_of(blob_));
  writer.write(std::uint64_t{blob_.size()});
  writer.write(data_bytes_);
  writer.write(static_cast<std::uint32_t>(seq));
  std::copy(data.begin(), data.end(), chunk.begin() + kChunkHeaderBytes);
  store_le(chunk.data() + kChunkChecksumOffset, checksum_of(chunk));
  return chunk;
}

struct ChunkReader::Header {
  Series series;
  std::uint64_t seq = 0;
};

Result<ChunkReader::Header> ChunkReader::read_header(std::span<const std::byte> chunk) const {
  if (chunk.size() <= kChunkHeaderBytes) {
    return corrupt("size must be above ", kChunkHeaderBytes, " bytes, got ", chunk.size());
  }
  if (!std::equal(std::begin(kMagic), std::end(kMagic), chunk.begin())) {
    return corrupt("magic must be C3 52 56 43: these bytes are not a chunk");
  }
  if (chunk[sizeof kMagic] != kChunkVersion) {
    return corrupt("format version must be 1, got ", std::to_integer<unsigned>(chunk[sizeof kMagic]));
  }
  if (std::any_of(&chunk[sizeof kMagic + 1], &chunk[kChunkChecksumOffset],
                  [](std::byte byte) { return byte != std::byte{}; })) {
    return corrupt("reserved bytes must be 0");
  }
  const auto stored = load_le<std::uint64_t>(chunk.data() + kChunkChecksumOffset);
  if (stored != checksum_of(chunk)) {
    return corrupt("checksum must match the contents, got ", stored, ": they were changed or truncated");
  }
  ByteReader reader(chunk.subspan(kCheckedOffset));
  Header header;
  header.series.id = reader.read<std::uint64_t>();
  header.series.blob_bytes = reader.read<std::uint64_t>();
  header.series.data_bytes = reader.read<std::uint32_t>();
  header.seq = reader.read<std::uint32_t>();
  const Series& series = header.series;
  if (series.data_bytes == 0) return corrupt("data bytes must be above 0, got 0");
  if (series.blob_bytes < kBlobHeaderBytes) {
    return corrupt("blob size must be at least ", kBlobHeaderBytes, " bytes, got ", series.blob_bytes);
  }
  if (series.blob_bytes > max_bytes_) {
    return error(ErrorCode::kTooLarge, "blob size must be at most the limit of ", max_bytes_, " bytes, got ",
                 series.blob_bytes);
  }
  const std::uint64_t chunks = number_of_chunks(series.blob_bytes, series.data_bytes);
  if (header.seq >= chunks) return corrupt("number must be below the number of chunks, ", chunks, ", got ", header.seq);
  // The product is below blob_bytes, because header.seq < chunks.
  const std::uint64_t left = series.blob_bytes - header.seq * series.data_bytes;
  const std::uint64_t expected = std::min<std::uint64_t>(left, series.data_bytes);
  if (chunk.size() - kChunkHeaderBytes != expected) {
    return corrupt("size must be ", kChunkHeaderBytes + expected, " bytes, got ", chunk.size());
  }
  return header;
}

Result<void> ChunkReader::check_series(const Header& header) const {
  const auto differs = [](const char* field, std::uint64_t wanted, std::uint64_t got) {
    return error(ErrorCode::kIncompatible, field, " must equal the first chunk's ", wanted, ", got ", got);
  };
  const Series& got = header.series;
  if (got.id != series_->id) return differs("filter id", series_->id, got.id);
  if (got.blob_bytes != series_->blob_bytes) return differs("blob size", series_->blob_bytes, got.blob_bytes);
  if (got.data_bytes != series_->data_bytes) return differs("data bytes", series_->data_bytes, got.data_bytes);
  return {};
}

Result<void> ChunkReader::store(std::uint64_t seq, std::span<const std::byte> data) {
  const auto same = [&](std::span<const std::byte> before) -> Result<void> {
    if (std::ranges::equal(before, data)) return {};
    return error(ErrorCode::kIncompatible, "contents must equal the earlier copy of this chunk, got different ones");
  };
  if (seq < joined_) {
    const auto from = static_cast<std::size_t>(seq) * series_->data_bytes;
    return same(std::span<const std::byte>(blob_).subspan(from, data.size()));
  }
  if (seq > joined_) {
    const auto [place, is_new] = pending_.try_emplace(seq, data.begin(), data.end());
    return is_new ? Result<void>() : same(place->second);
  }
  blob_.insert(blob_.end(), data.begin(), data.end());
  ++joined_;
  for (auto next = pending_.begin(); next != pending_.end() && next->first == joined_; ++joined_) {
    blob_.insert(blob_.end(), next->second.begin(), next->second.end());
    next = pending_.erase(next);
  }
  return {};
}

Result<void> ChunkReader::add(std::span<const std::byte> chunk, std::optional<std::uint64_t> seq) {
  const auto name = [&](const Error& error) { return Error{error.code, named(seq) + ": " + error.message}; };
  const Result<Header> header = read_header(chunk);
  if (!header) return name(header.error());
  if (seq && *seq != header->seq) return name(corrupt("number must be ", *seq, ", got ", header->seq));
  seq = header->seq;
  if (!series_) {
    series_ = header->series;
  } else if (auto same = check_series(*header); !same) {
    return name(same.error());
  }
  if (auto stored = store(header->seq, chunk.subspan(kChunkHeaderBytes)); !stored) return name(stored.error());
  return {};
}

std::uint64_t ChunkReader::chunks() const noexcept {
  return series_ ? number_of_chunks(series_->blob_bytes, series_->data_bytes) : 0;
}

std::optional<std::uint64_t> ChunkReader::first_missing() const noexcept {
  if (series_ && joined_ == chunks()) return std::nullopt;
  return joined_;
}

Result<std::vector<std::byte>> ChunkReader::finish() && {
  if (const std::optional<std::uint64_t> missing = first_missing()) {
    return error(ErrorCode::kNotFound, "chunk ", *missing, " must be present, got ", joined_ + pending_.size(), " of ",
                 chunks(), " chunks");
  }
  if (id_of(blob_) != series_->id) {
    return corrupt("filter id must be the checksum of the blob, ", id_of(blob_), ", got ", series_->id);
  }
  return std::move(blob_);
}

}  // namespace crivo
