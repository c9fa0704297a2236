// Tests chunks of blobs against docs/format.md, "Chunks", and simulates an unreliable link.
#include "crivo/host/chunks.h"

#include <algorithm>
#include <random>

#include "filters.h"
#include "matchers.h"

namespace crivo::testing {
namespace {

Bytes sample_blob(std::uint64_t keys = 300) { return blob_of(build_filter(Kind::kBlocked, keys).ref()); }

std::vector<Bytes> chunks_of(const Bytes& blob, std::size_t chunk_bytes) {
  const auto writer = ChunkWriter::create(blob, chunk_bytes);
  std::vector<Bytes> chunks;
  for (std::uint64_t seq = 0; seq < writer->chunks(); ++seq) chunks.push_back(writer->chunk(seq));
  return chunks;
}

Error refused(ChunkReader& reader, const Bytes& chunk, std::optional<std::uint64_t> seq = std::nullopt) {
  const auto added = reader.add(chunk, seq);
  EXPECT_FALSE(added);
  return added ? Error{} : added.error();
}

/// The blob that the reader assembles from these chunks.
Bytes joined(const std::vector<Bytes>& chunks) {
  ChunkReader reader;
  for (const Bytes& chunk : chunks) {
    const auto added = reader.add(chunk);
    EXPECT_TRUE(added) << added.error().message;
  }
  auto blob = std::move(reader).finish();
  return blob ? *std::move(blob) : Bytes{};
}

TEST(Chunks, AreAsTheFormatSays) {
  const Bytes blob = sample_blob();
  const auto chunks = chunks_of(blob, 100);
  const std::size_t data_bytes = 100 - kChunkHeaderBytes;
  ASSERT_EQ(chunks.size(), (blob.size() + data_bytes - 1) / data_bytes);
  Bytes all;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const Bytes& chunk = chunks[i];
    EXPECT_EQ(get(chunk, chunk::kStart), 0x0143'5652'C3U) << "magic, version 1, and three zeros";
    EXPECT_EQ(get(chunk, chunk::kChecksum), get(forge_chunk(chunk, chunk::kChecksum, 0), chunk::kChecksum));
    EXPECT_EQ(get(chunk, chunk::kFilterId), get(blob, header::kChecksum));
    EXPECT_EQ(get(chunk, chunk::kBlobBytes), blob.size());
    EXPECT_EQ(get(chunk, chunk::kDataBytes), data_bytes);
    EXPECT_EQ(get(chunk, chunk::kNumber), i);
    if (i + 1 < chunks.size()) {
      EXPECT_EQ(chunk.size(), 100U);
    }
    all.insert(all.end(), chunk.begin() + 40, chunk.end());
  }
  EXPECT_EQ(all, blob);
}

TEST(Chunks, GiveTheBlobInAnyOrderAndWithRepetitions) {
  for (const std::uint64_t keys : {0U, 1U, 300U, 2000U}) {
    const Bytes blob = sample_blob(keys);
    for (const std::size_t size : {std::size_t{64}, std::size_t{65}, blob.size() + 39, blob.size() + 40,
                                   blob.size() + 41, kDefaultChunkBytes, kMaxChunkBytes}) {
      auto chunks = chunks_of(blob, size);
      EXPECT_EQ(joined(chunks), blob) << size;
      std::reverse(chunks.begin(), chunks.end());
      EXPECT_EQ(joined(chunks), blob) << size;
      const auto once = chunks;
      chunks.insert(chunks.end(), once.begin(), once.end());
      std::shuffle(chunks.begin(), chunks.end(), std::mt19937_64(size));
      EXPECT_EQ(joined(chunks), blob) << size;
    }
  }
}

TEST(Chunks, RefuseASizeOutsideTheirRange) {
  const Bytes blob = sample_blob();
  for (const std::size_t size : {std::size_t{0}, kMinChunkBytes - 1, kMaxChunkBytes + 1, SIZE_MAX}) {
    const auto writer = ChunkWriter::create(blob, size);
    EXPECT_EQ(writer.error().message, "chunk bytes must be in [64, 1073741824], got " + std::to_string(size));
  }
  EXPECT_FALSE(ChunkWriter::create(std::span(blob).first(63)));
}

TEST(Chunks, AMissingOneIsNamed) {
  const auto chunks = chunks_of(sample_blob(), 100);
  for (std::size_t missing = 0; missing < chunks.size(); ++missing) {
    ChunkReader reader;
    EXPECT_EQ(reader.chunks(), 0U);
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      if (i == missing) continue;
      ASSERT_TRUE(reader.add(chunks[i], i));
    }
    EXPECT_EQ(reader.first_missing(), missing);
    EXPECT_EQ(reader.chunks(), chunks.size());
    const auto blob = std::move(reader).finish();
    EXPECT_EQ(blob.error().code, ErrorCode::kNotFound);
    EXPECT_EQ(blob.error().message, "chunk " + std::to_string(missing) + " must be present, got " +
                                        std::to_string(chunks.size() - 1) + " of " + std::to_string(chunks.size()) +
                                        " chunks");
  }
}

TEST(Chunks, RejectEveryTruncationAndEveryFlippedBit) {
  const Bytes chunk = chunks_of(sample_blob(), 100)[1];
  ChunkReader reader;
  for (std::size_t size = 0; size < chunk.size(); ++size) {
    EXPECT_THAT(refused(reader, {chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(size)}, 1).message,
                StartsWith("chunk 1: "));
  }
  for (std::size_t bit = 0; bit < chunk.size() * 8; ++bit) {
    Bytes flipped = chunk;
    flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_EQ(refused(reader, flipped, 1).code, ErrorCode::kCorrupt) << bit;
  }
  EXPECT_EQ(reader.chunks(), 0U) << "a refused chunk leaves no trace";
  Bytes longer = chunk;
  longer.push_back(std::byte{0});
  (void)refused(reader, longer);
  repair_chunk(longer);
  EXPECT_THAT(refused(reader, longer).message, HasSubstr("size must be 100 bytes, got 101"));
}

TEST(Chunks, OfAnotherFilterOrAnotherSizeAreForeign) {
  const auto chunks = chunks_of(sample_blob(), 100);
  const auto others = chunks_of(sample_blob(299), 100);
  const auto larger = chunks_of(sample_blob(), 101);
  ChunkReader reader;
  ASSERT_TRUE(reader.add(chunks[0]));
  EXPECT_EQ(refused(reader, others[1], 1).code, ErrorCode::kIncompatible);
  EXPECT_THAT(refused(reader, others[1]).message, StartsWith("chunk 1: filter id must equal the first chunk's "));
  EXPECT_EQ(refused(reader, larger[2]).message, "chunk 2: data bytes must equal the first chunk's 60, got 61");
  EXPECT_EQ(refused(reader, chunks[3], 2).message, "chunk 2: number must be 2, got 3");
  Bytes changed = chunks[0];
  changed.back() ^= std::byte{1};
  repair_chunk(changed);
  EXPECT_THAT(refused(reader, changed).message, HasSubstr("contents must equal the earlier copy of this chunk"));
  ASSERT_TRUE(reader.add(chunks[5]));
  changed = chunks[5];
  changed.back() ^= std::byte{1};
  repair_chunk(changed);
  EXPECT_THAT(refused(reader, changed).message,
              StartsWith("chunk 5: contents must equal the earlier copy of this chunk"));
  for (const Bytes& chunk : chunks) ASSERT_TRUE(reader.add(chunk)) << "what was refused has left no trace";
  EXPECT_TRUE(std::move(reader).finish());
}

TEST(Chunks, ForgedNumbersAreRefusedWithARightChecksum) {
  const auto chunks = chunks_of(sample_blob(), 100);
  for (const Bytes& chunk : {chunks[0], chunks[3], chunks.back()}) {
    for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{63}, std::uint64_t{1} << 40, UINT64_MAX}) {
      ChunkReader reader;
      EXPECT_THAT(refused(reader, forge_chunk(chunk, chunk::kBlobBytes, size)).message, HasSubstr("blob size must be"))
          << size;
    }
    ChunkReader reader;
    EXPECT_THAT(refused(reader, forge_chunk(chunk, chunk::kDataBytes, 0)).message,
                HasSubstr("data bytes must be above 0"));
    for (const std::uint64_t size : {1U, 59U, UINT32_MAX})
      (void)refused(reader, forge_chunk(chunk, chunk::kDataBytes, size));
    EXPECT_THAT(refused(reader, forge_chunk(chunk, chunk::kNumber, chunks.size())).message,
                HasSubstr("number must be below"));
    EXPECT_THAT(refused(reader, forge_chunk(chunk, chunk::kNumber, UINT32_MAX)).message,
                HasSubstr("number must be below"));
    Bytes reserved = chunk;
    reserved[6] = std::byte{1};
    EXPECT_THAT(refused(reader, reserved).message, HasSubstr("reserved bytes must be 0"));
  }
}

TEST(Chunks, AForgedBlobSizeTakesNoMemory) {
  constexpr std::uint64_t kTerabytes = std::uint64_t{1} << 42;
  Bytes chunk = forge_chunk(chunks_of(sample_blob(), 100)[1], chunk::kBlobBytes, kTerabytes);
  ChunkReader reader(UINT64_MAX);
  ASSERT_TRUE(reader.add(chunk)) << "the stated size alone allocates nothing";
  ASSERT_TRUE(reader.add(forge_chunk(chunk, chunk::kNumber, 0)));
  EXPECT_EQ(reader.first_missing(), 2U);
  EXPECT_FALSE(std::move(reader).finish());
}

TEST(Chunks, ThatMakeAnotherBlobThanTheySayAreRefused) {
  auto chunks = chunks_of(sample_blob(), 100);
  ChunkReader reader;
  for (Bytes& chunk : chunks) {
    chunk = forge_chunk(chunk, chunk::kFilterId, 12345);
    ASSERT_TRUE(reader.add(chunk));
  }
  const auto blob = std::move(reader).finish();
  EXPECT_EQ(blob.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace crivo::testing
