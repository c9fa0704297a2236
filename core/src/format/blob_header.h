// The header of a blob, field by field; docs/format.md, "Header".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

// Where fields lie, in bytes from the start of the blob.
inline constexpr std::size_t kKeysOffset = 32;
inline constexpr std::size_t kChecksumOffset = 56;

/// The most bytes by which a compressed blob is larger than its payload.
inline constexpr std::uint64_t kStoredExtraBytes = 4096;

struct Header {
  Shape shape;
  Facts facts;
  Codec codec = Codec::kRaw;
  std::uint64_t raw_bytes = 0;
  unsigned flags = 0;
};

/// The codecs in which the payload lies byte for byte behind the header.
[[nodiscard]] constexpr bool is_raw(Codec codec) noexcept { return codec == Codec::kRaw || codec == Codec::kRawSums; }

/// "raw", "zstd", "gap+zstd" or "raw+sums".
[[nodiscard]] std::string_view codec_name(Codec codec) noexcept;

/// Checks the size, the magic and the format version. Errors: kCorrupt.
[[nodiscard]] Result<void> check_start(std::span<const std::byte> blob);
/// The fields of a blob that check_start accepts.
[[nodiscard]] Header read_fields(std::span<const std::byte> blob);
/// Checks that too, and the checksum; but where the codec is raw+sums, that is left to check_sums. Errors: kCorrupt.
[[nodiscard]] Result<void> check_envelope(std::span<const std::byte> blob);
/// Checks what the fields say of the payload's size, before memory is taken for it. Errors: kCorrupt; kTooLarge.
[[nodiscard]] Result<void> check_fields(const Header& header, std::uint64_t max_bytes);
/// Writes all fields but the checksum.
void write_fields(const Header& header, std::span<std::byte> blob);

}  // namespace crivo
