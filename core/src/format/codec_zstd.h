// zstd (RFC 8878), for whole payloads and for the small symbols that gap coding makes. Only codec_zstd.cpp includes
// zstd's header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

/// `payload` as one zstd frame, behind `room` bytes that are left for the caller's header. level: 1 to 22. Throws
/// std::bad_alloc.
[[nodiscard]] std::vector<std::byte> compress_zstd(std::span<const std::byte> payload, int level, std::size_t room);

/// The payload of a frame, which must be exactly what docs/format.md, "Codecs", allows, and must decode to `raw_bytes`
/// bytes. The caller has checked raw_bytes against its limit, and nothing else is allocated by a size that the input
/// states. Errors: kCorrupt.
[[nodiscard]] Result<AlignedBytes> decompress_zstd(std::span<const std::byte> frame, std::uint64_t raw_bytes);

/// Appends one frame of symbols to `out`. zstd serves as an entropy coder, with new Huffman codes for every 128 KiB.
/// Its search for matches is all but off, as matches between random symbols cost more than they save.
class SymbolWriter {
 public:
  /// The bytes that `out` must have in reserve beside the frame, so that it need not be reallocated.
  static constexpr std::size_t kRoomBytes = std::size_t{1} << 14;

  explicit SymbolWriter(std::vector<std::byte>& out);
  ~SymbolWriter();
  SymbolWriter(const SymbolWriter&) = delete;
  SymbolWriter& operator=(const SymbolWriter&) = delete;

  void put(std::uint8_t symbol) {
    if (used_ == buffer_.size()) flush(false);
    buffer_[used_++] = symbol;
  }
  /// Ends the frame. Must be called once, after the last symbol.
  void finish() { flush(true); }

 private:
  void flush(bool is_last);

  struct Context;
  std::unique_ptr<Context> context_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  std::vector<std::byte>& out_;
};

/// Reads a frame of symbols. The memory it takes does not depend on what the frame claims.
class SymbolReader {
 public:
  explicit SymbolReader(std::span<const std::byte> frame);
  ~SymbolReader();
  SymbolReader(const SymbolReader&) = delete;
  SymbolReader& operator=(const SymbolReader&) = delete;

  /// The next symbols, which are valid until the next call. An empty span at the end; then the frame must end as well.
  /// Errors: kCorrupt.
  [[nodiscard]] Result<std::span<const std::uint8_t>> next();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  std::vector<std::uint8_t> buffer_;
  std::span<const std::byte> frame_;
  std::size_t read_ = 0;
  bool ended_ = false;
};

}  // namespace crivo
