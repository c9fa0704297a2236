// Adds keys to a raw blob in place, such as in a database row or a file, without reading or writing the whole blob.
//
// The blob's checksum is a sum over the header and the payload's segments of 4096 bytes (docs/format.md, "Checksum").
// An addition therefore reads and writes only the header and the segments that contain the key's bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/result.h"

namespace crivo {

/// Access to the stored blob. The functions may throw; the exception passes through add_in_place. If write() throws,
/// the blob may be partly changed, and the owner of the storage must undo the change.
class StoredBlob {
 public:
  StoredBlob() = default;
  StoredBlob(const StoredBlob&) = delete;
  StoredBlob& operator=(const StoredBlob&) = delete;
  virtual ~StoredBlob() = default;
  [[nodiscard]] virtual std::uint64_t size() = 0;
  /// Reads from this offset on, within size().
  virtual void read(std::uint64_t offset, std::span<std::byte> into) = 0;
  virtual void write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
};

/// Adds a key. Returns true if the key was certainly absent. The blob becomes the one that AnyFilter::add would give,
/// with one exception: if a `blocked` or `classic` filter may already contain the key, nothing is written, and the
/// filter's count of keys does not change.
///
/// Validates the header, but not the checksum, which covers the whole payload. The function adds the difference to the
/// checksum, so a damaged blob still has a wrong checksum.
///
/// All reads and allocations precede the first write. Errors, with nothing written: kCorrupt for an invalid header;
/// kUnsupported for a codec other than kRaw, or a kind other than blocked, classic, counting and spectral.
Result<bool> add_in_place(StoredBlob& blob, std::string_view key);

}  // namespace crivo
