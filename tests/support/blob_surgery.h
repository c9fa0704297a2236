// Reads and writes the fields of blobs, SST blocks and chunks at the offsets of docs/format.md, so that a test can
// forge a field and repair the checksum. The code follows only that page, and uses nothing of the code under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace crivo::testing {

using Bytes = std::vector<std::byte>;

/// A field of a header or a trailer: its offset and its size in bytes.
struct Field {
  const char* name;
  std::size_t offset;
  std::size_t width;
};

namespace header {
inline constexpr Field kMagic{"magic", 0, 4};
inline constexpr Field kVersion{"version", 4, 1};
inline constexpr Field kKind{"kind", 5, 1};
inline constexpr Field kCodec{"codec", 6, 1};
inline constexpr Field kFlags{"flags", 7, 1};
inline constexpr Field kHashId{"hash_id", 8, 1};
inline constexpr Field kProbes{"k", 9, 1};
inline constexpr Field kParam{"param", 10, 2};
inline constexpr Field kRawBytes{"raw_bytes", 12, 6};
inline constexpr Field kCapacity{"capacity", 18, 6};
inline constexpr Field kSeed{"seed", 24, 8};
inline constexpr Field kKeys{"keys", 32, 8};
inline constexpr Field kFpRate{"fp_rate", 40, 8};
inline constexpr Field kUnits{"units", 48, 8};
inline constexpr Field kChecksum{"checksum", 56, 8};
inline constexpr std::size_t kBytes = 64;
}  // namespace header

namespace trailer {  // offsets from the start of the trailer
inline constexpr Field kChecksum{"checksum", 0, 8};
inline constexpr Field kSeed{"seed", 8, 8};
inline constexpr Field kUnits{"units", 16, 6};
inline constexpr Field kVersion{"version", 22, 1};
inline constexpr Field kKind{"kind", 23, 1};
inline constexpr Field kHashId{"hash_id", 24, 1};
inline constexpr Field kProbes{"k", 25, 1};
inline constexpr Field kReserved26{"reserved_26", 26, 1};
inline constexpr Field kMarker{"marker", 27, 1};
inline constexpr Field kParam{"param", 28, 2};
inline constexpr Field kNameBytes{"name_bytes", 30, 1};  // the length of the key transform's name
inline constexpr Field kReserved31{"reserved_31", 31, 1};
inline constexpr std::size_t kBytes = 32;
}  // namespace trailer

namespace chunk {
inline constexpr Field kStart{"magic, version and reserved bytes", 0, 8};
inline constexpr Field kChecksum{"checksum", 8, 8};
inline constexpr Field kFilterId{"filter_id", 16, 8};
inline constexpr Field kBlobBytes{"blob_bytes", 24, 8};
inline constexpr Field kDataBytes{"data_bytes", 32, 4};
inline constexpr Field kNumber{"number", 36, 4};
inline constexpr std::size_t kBytes = 40;  // of the header
}  // namespace chunk

[[nodiscard]] std::uint64_t get(std::span<const std::byte> bytes, const Field& field);
void put(std::span<std::byte> bytes, const Field& field, std::uint64_t value);

/// Repairs the checksums. Leaves bytes unchanged that are too short for a header or a trailer.
void repair_blob(std::span<std::byte> blob);
void repair_sst_block(std::span<std::byte> block);
void repair_chunk(std::span<std::byte> chunk);

/// The block's last 32 bytes, as an argument of get and put.
[[nodiscard]] std::span<std::byte> trailer_of(std::span<std::byte> block);

/// A copy with one field replaced. Repairs the checksum; forge and forge_sst do not if the field is the checksum.
[[nodiscard]] Bytes forge(std::span<const std::byte> blob, const Field& field, std::uint64_t value);
[[nodiscard]] Bytes forge_sst(std::span<const std::byte> block, const Field& field, std::uint64_t value);

[[nodiscard]] Bytes forge_chunk(std::span<const std::byte> chunk, const Field& field, std::uint64_t value);

/// The blob's header with another stored payload, and a repaired checksum.
[[nodiscard]] Bytes with_payload(std::span<const std::byte> blob, std::span<const std::byte> payload);

}  // namespace crivo::testing
