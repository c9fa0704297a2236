// The checksums that follow the blocks of an SST file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace crivo::sst {

/// The checksum of `data`: a block and the byte after it, its compression type. `type` is the number in the file's
/// footer, as in rocksdb::ChecksumType: 1 is CRC-32C, 2 XXH32, 3 XXH64 and 4 XXH3. No value for 0, "no checksum", and
/// for unknown numbers.
[[nodiscard]] std::optional<std::uint32_t> block_checksum(std::uint8_t type, std::string_view data) noexcept;

}  // namespace crivo::sst
