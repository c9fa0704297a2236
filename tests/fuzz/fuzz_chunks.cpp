// A reader gets arbitrary chunks, and accepts or rejects each. In the end it has the blob that was sent, or names a
// missing chunk.

#include "crivo/host/chunks.h"
#include "filters.h"
#include "fuzz_body.h"
#include "input.h"
#include "require.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kMaxBytes = 1 << 20;

/// One of eight blobs, of a few hundred bytes.
const Bytes& sent_blob(unsigned choice) {
  static const std::vector<Bytes> blobs = [] {
    std::vector<Bytes> made;
    for (std::uint64_t keys = 0; keys < 8; ++keys)
      made.push_back(blob_of(build_filter(Kind::kBlocked, 60 * keys).ref()));
    return made;
  }();
  return blobs[choice % blobs.size()];
}

/// Simulates a link: leaves the chunk unchanged, or changes, shortens or lengthens it. May repair the checksum.
Bytes over_the_link(Input& input, Bytes chunk, bool& intact) {
  const unsigned choice = input.take_below(16);
  intact = choice < 8;
  if (choice == 8) chunk.resize(input.take_below(static_cast<unsigned>(std::min<std::size_t>(chunk.size(), 200))));
  if (choice == 9) chunk.resize(chunk.size() + 1 + input.take_below(8));
  if (choice >= 10) {
    const auto byte = input.take_below(static_cast<unsigned>(std::min<std::size_t>(chunk.size(), 64)));
    const auto flip = static_cast<std::byte>(input.take<std::uint8_t>());
    chunk[byte] ^= flip;
    intact = flip == std::byte{0};
  }
  if (choice >= 8 && choice % 2 == 0) repair_chunk(chunk);
  return chunk;
}

/// Delivers the chunks of one or two blobs in the order of the input. Returns whether the blob is complete.
bool receive(Input& input) {
  const Bytes& blob = sent_blob(input.take_below(8));
  const Bytes& other = sent_blob(input.take_below(8));
  const std::size_t size = kMinChunkBytes + input.take_below(255);
  const auto writer = ChunkWriter::create(blob, size);
  const auto foreign = ChunkWriter::create(other, kMinChunkBytes + input.take_below(255));
  require(writer.has_value() && foreign.has_value(), "every size in the range will do");
  ChunkReader reader(kMaxBytes);
  require(reader.add(writer->chunk(0)).has_value(), "a first chunk is taken");
  const bool all = input.take_below(2) != 0;
  bool replaced = false;
  for (unsigned left = input.take_below(64); left != 0; --left) {
    const bool is_foreign = input.take_below(8) == 0;
    const ChunkWriter& from = is_foreign ? *foreign : *writer;
    const std::uint64_t seq = input.take_below(255) % from.chunks();
    bool intact = true;
    const Bytes chunk = over_the_link(input, from.chunk(seq), intact);
    const std::optional<std::uint64_t> missing = reader.first_missing();
    const auto added = reader.add(chunk, seq);
    // If the link changed a chunk and repaired its checksum, the reader later rejects the original chunk as different.
    replaced |= added && !intact;
    if (intact && !is_foreign && !replaced)
      require(added.has_value(), "a sound chunk is taken, however often it comes");
    if (!added) require(reader.first_missing() == missing, "a refused chunk leaves no trace");
    require(!missing || *missing < reader.chunks(), "no more chunks come than there are");
  }
  if (all) {
    for (std::uint64_t seq = writer->chunks(); seq-- > 0;) {
      require(reader.add(writer->chunk(seq), seq) || replaced, "a sound chunk is taken, in any order");
    }
  }
  const std::optional<std::uint64_t> missing = reader.first_missing();
  const auto joined = std::move(reader).finish();
  require(!missing || !joined, "nothing is whole while a chunk is missing");
  if (all && !replaced) require(joined && *joined == blob, "the blob comes through");
  return joined.has_value();
}

/// Reads arbitrary bytes, in pieces whose lengths the input chooses.
bool read_anything(Input& input) {
  const bool repair = input.take_below(2) != 0;
  ChunkReader reader(kMaxBytes);
  auto rest = std::as_bytes(input.left());
  while (!rest.empty()) {
    const std::size_t size = std::min<std::size_t>(rest.size() - 1, std::to_integer<std::size_t>(rest.front()));
    Bytes piece(rest.begin() + 1, rest.begin() + 1 + static_cast<std::ptrdiff_t>(size));
    if (repair) repair_chunk(piece);
    (void)reader.add(piece);
    rest = rest.subspan(1 + size);
  }
  const auto joined = std::move(reader).finish();
  if (joined) require(joined->size() <= kMaxBytes, "what came is within the limit");
  if (joined) (void)parse_blob(*joined, {.max_bytes = kMaxBytes});
  return joined.has_value();
}

}  // namespace

bool fuzz_chunks(std::span<const std::uint8_t> bytes) {
  Input input(bytes);
  return input.take_below(4) == 0 ? read_anything(input) : receive(input);
}

}  // namespace crivo::testing
