// Adding keys to a filter's raw blob where it is stored, such as in a row of a database or in a file, without reading
// or writing the whole blob.
//
// The blob's checksum is a sum over the header and the payload's segments of 4096 bytes (docs/format.md, "Header"). So
// a change takes what a key touches: the header, the segments in which the key lies, and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/result.h"

namespace crivo {

/// The bytes of a blob where they are stored. The functions may throw. The exception passes through add_in_place; if it
/// came from a write, the blob may have been changed in part, and whoever stores it has to take that back.
class StoredBlob {
 public:
  StoredBlob() = default;
  StoredBlob(const StoredBlob&) = delete;
  StoredBlob& operator=(const StoredBlob&) = delete;
  virtual ~StoredBlob() = default;
  [[nodiscard]] virtual std::uint64_t size() = 0;
  /// Reads the bytes from this offset on; they are within size().
  virtual void read(std::uint64_t offset, std::span<std::byte> into) = 0;
  virtual void write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
};

/// Adds a key, and returns true if it was certainly not in the filter before. Afterwards the blob is the one that
/// AnyFilter::add would have made, with one exception: in the kinds that only tell whether a key is there (`blocked`,
/// `classic`) a key that may be there already changes nothing, not even the number of keys, and nothing is written.
///
/// The header is checked. The checksum cannot be, because it covers the whole payload; but it is changed by what the
/// key changes, so a blob that was damaged before does not match its checksum afterwards, either.
///
/// Everything is read, and all memory is taken, before the first write. Errors, with nothing written: kCorrupt for a
/// header that is not allowed; kUnsupported for a compressed blob, or a kind other than blocked, classic, counting and
/// spectral.
Result<bool> add_in_place(StoredBlob& blob, std::string_view key);

}  // namespace crivo
