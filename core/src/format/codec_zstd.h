// zstd: whole payloads, and the streams of small symbols that gap coding leaves. The .cpp is the only file that knows
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

/// One zstd frame of `payload`, behind `room` bytes left for the caller's header. level: 1 to 22.
[[nodiscard]] std::vector<std::byte> compress_zstd(std::span<const std::byte> payload, int level, std::size_t room);

/// The payload of a frame that is exactly what docs/format.md, "Codecs", allows; `raw_bytes` is what it must decode to,
/// already checked against the caller's limit, and the only thing allocated by size. Errors: kCorrupt.
[[nodiscard]] Result<AlignedBytes> decompress_zstd(std::span<const std::byte> frame, std::uint64_t raw_bytes);

/// Appends one frame of symbols to `out`. zstd serves as an entropy coder here, with Huffman codes made afresh for
/// every 128 KiB: its matches are all but switched off, as those between random symbols cost more than they save.
class SymbolWriter {
 public:
  explicit SymbolWriter(std::vector<std::byte>& out);
  ~SymbolWriter();
  SymbolWriter(const SymbolWriter&) = delete;
  SymbolWriter& operator=(const SymbolWriter&) = delete;

  void put(std::uint8_t symbol) {
    if (used_ == buffer_.size()) flush(false);
    buffer_[used_++] = symbol;
  }
  /// Call once, last.
  void finish() { flush(true); }

 private:
  void flush(bool is_last);

  struct Context;
  std::unique_ptr<Context> context_;
  std::vector<std::uint8_t> buffer_;
  std::size_t used_ = 0;
  std::vector<std::byte>& out_;
};

/// Reads such a frame, in memory that does not depend on what it claims.
class SymbolReader {
 public:
  explicit SymbolReader(std::span<const std::byte> frame);
  ~SymbolReader();
  SymbolReader(const SymbolReader&) = delete;
  SymbolReader& operator=(const SymbolReader&) = delete;

  /// The next symbols, valid until the next call; none at the end, where the frame must end too. Errors: kCorrupt.
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
