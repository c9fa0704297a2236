// The fields of a blob's header (docs/format.md, "Header").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

// Offsets of fields in the blob.
inline constexpr std::size_t kKeysOffset = 32;
inline constexpr std::size_t kChecksumOffset = 56;

/// A compressed file may exceed the reader's limit for the payload by this many bytes.
inline constexpr std::uint64_t kStoredExtraBytes = 4096;

struct Header {
  Shape shape;
  Facts facts;
  Codec codec = Codec::kRaw;
  std::uint64_t raw_bytes = 0;
  unsigned flags = 0;
};

/// Whether the codec stores the payload unchanged after the header.
[[nodiscard]] constexpr bool is_raw(Codec codec) noexcept { return codec == Codec::kRaw || codec == Codec::kRawSums; }

/// "raw", "zstd", "gap+zstd" or "raw+sums".
[[nodiscard]] std::string_view codec_name(Codec codec) noexcept;

/// Validates the size, the magic and the format version. Errors: kCorrupt.
[[nodiscard]] Result<void> check_start(std::span<const std::byte> blob);
/// Requires check_start.
[[nodiscard]] Header read_fields(std::span<const std::byte> blob);
/// Runs check_start. Also verifies the checksum, except for the codec raw+sums (see check_sums). Errors: kCorrupt.
[[nodiscard]] Result<void> check_envelope(std::span<const std::byte> blob);
/// Validates flags, kind, shape and payload size, before memory is allocated. Errors: kCorrupt; kTooLarge.
[[nodiscard]] Result<void> check_fields(const Header& header, std::uint64_t max_bytes);
/// Writes all fields except the checksum.
void write_fields(const Header& header, std::span<std::byte> blob);

}  // namespace crivo
