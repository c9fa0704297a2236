// The checksums that RocksDB puts behind the blocks of an SST file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace crivo::sst {

/// The checksum of a block together with the byte behind it, which says how the block is compressed: `data` is both.
/// `type` is the number in the file's footer, as in rocksdb::ChecksumType: 1 is CRC-32C, 2 XXH32, 3 XXH64 and 4 XXH3.
/// No value for 0, "no checksum", and for numbers that RocksDB has not given.
[[nodiscard]] std::optional<std::uint32_t> block_checksum(std::uint8_t type, std::string_view data) noexcept;

}  // namespace crivo::sst
