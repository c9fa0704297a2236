// zstd (RFC 8878), for whole payloads and for the symbols of gap coding. Only codec_zstd.cpp includes zstd's header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

/// `payload` as one zstd frame, after `header_bytes` bytes for the caller's header. level: 1 to 22. Throws
/// std::bad_alloc.
[[nodiscard]] std::vector<std::byte> compress_zstd(std::span<const std::byte> payload, int level,
                                                   std::size_t header_bytes);

/// Decodes a frame to `raw_bytes` bytes, which the caller has checked against its limit. docs/format.md, "Codecs", has
/// the requirements on the frame. No allocation depends on any other size that the input states. Errors: kCorrupt.
[[nodiscard]] Result<AlignedBytes> decompress_zstd(std::span<const std::byte> frame, std::uint64_t raw_bytes);

/// Appends one frame of symbols to `out`. zstd is used as an entropy coder, with new Huffman codes every 128 KiB. Match
/// search is almost off, because matches between random symbols cost more than they save.
class SymbolWriter {
 public:
  /// The writer does not reallocate `out` if the capacity of `out` exceeds the final size by this many bytes.
  static constexpr std::size_t kSpareBytes = std::size_t{1} << 14;

  explicit SymbolWriter(std::vector<std::byte>& out);
  ~SymbolWriter();
  SymbolWriter(const SymbolWriter&) = delete;
  SymbolWriter& operator=(const SymbolWriter&) = delete;

  void put(std::uint8_t symbol) {
    if (used_ == buffer_.size()) flush(false);
    buffer_[used_++] = symbol;
  }
  /// Ends the frame. Call it once, after the last symbol.
  void finish() { flush(true); }

 private:
  void flush(bool is_last);

  struct Context;
  std::unique_ptr<Context> context_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  std::vector<std::byte>& out_;
};

/// Reads a frame of symbols. Memory use does not depend on the sizes that the frame states.
class SymbolReader {
 public:
  explicit SymbolReader(std::span<const std::byte> frame);
  ~SymbolReader();
  SymbolReader(const SymbolReader&) = delete;
  SymbolReader& operator=(const SymbolReader&) = delete;

  /// The next symbols, valid until the next call. Empty after the last symbol, where the frame must end. Errors:
  /// kCorrupt.
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
