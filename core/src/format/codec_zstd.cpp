#include "format/codec_zstd.h"

#include <zstd.h>

#include <memory>
#include <new>

#include "base/error_text.h"
#include "crivo/host/bytes.h"

namespace crivo {
namespace {

constexpr std::uint32_t kFrameMagic = 0xFD2FB528;  // RFC 8878, 3.1.1
constexpr unsigned kMaxWindowLog = 27;
constexpr int kSymbolWindowLog = 17;                              // one block of symbols
constexpr std::size_t kSymbolBufferBytes = std::size_t{1} << 16;  // fits in the cache

Error broken(const auto&... parts) { return corrupt("zstd frame must ", parts...); }

/// RFC 8878, 3.1.1.1: a window descriptor follows the frame header descriptor unless the frame is a single segment.
bool has_bounded_window(std::span<const std::byte> frame) {
  if (frame.size() < 6) return false;
  constexpr unsigned kSingleSegment = 0x20;
  if ((std::to_integer<unsigned>(frame[4]) & kSingleSegment) != 0) return true;
  const auto descriptor = std::to_integer<unsigned>(frame[5]);
  const unsigned window_log = 10 + (descriptor >> 3);
  return window_log < kMaxWindowLog || (window_log == kMaxWindowLog && (descriptor & 7) == 0);
}

}  // namespace

std::vector<std::byte> compress_zstd(std::span<const std::byte> payload, int level, std::size_t header_bytes) {
  std::vector<std::byte> out(header_bytes + ZSTD_compressBound(payload.size()));
  const std::span<std::byte> frame = std::span(out).subspan(header_bytes);
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), payload.data(), payload.size(), level);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // the buffer is large enough, so nothing else can fail
  out.resize(header_bytes + size);
  return out;
}

Result<AlignedBytes> decompress_zstd(std::span<const std::byte> frame, std::uint64_t raw_bytes) {
  if (frame.size() < 4 || load_le<std::uint32_t>(frame.data()) != kFrameMagic) return broken("start with its magic");
  const unsigned long long content = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR) return broken("state its content size");
  if (content != raw_bytes) return broken("hold the header's ", raw_bytes, " raw payload bytes, got ", content);
  if (ZSTD_getDictID_fromFrame(frame.data(), frame.size()) != 0) return broken("need no dictionary");
  if (!has_bounded_window(frame)) return broken("have a window of at most 2^", kMaxWindowLog, " bytes");
  const std::size_t frame_bytes = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(frame_bytes) != 0)
    return broken("be complete, got ", std::string_view(ZSTD_getErrorName(frame_bytes)));
  if (frame_bytes != frame.size()) {
    return broken("fill the stored payload of ", frame.size(), " bytes, got ", frame_bytes);
  }
  // Decodes directly into the payload. Only the pages that decoding writes become resident.
  AlignedBytes payload(static_cast<std::size_t>(raw_bytes));
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  const std::size_t size =
      ZSTD_decompressDCtx(context.get(), payload.data(), payload.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0) return broken("decode, got ", std::string_view(ZSTD_getErrorName(size)));
  if (size != raw_bytes) return broken("decode to ", raw_bytes, " bytes, got ", size);
  return payload;
}

struct SymbolWriter::Context {
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> zstd{ZSTD_createCCtx(), &ZSTD_freeCCtx};
};

SymbolWriter::SymbolWriter(std::vector<std::byte>& out)
    : context_(std::make_unique<Context>()), buffer_(kSymbolBufferBytes), out_(out) {
  if (context_->zstd == nullptr) throw std::bad_alloc();
  const auto set = [&](ZSTD_cParameter parameter, int value) {
    const std::size_t result = ZSTD_CCtx_setParameter(context_->zstd.get(), parameter, value);
    if (ZSTD_isError(result) != 0) throw std::bad_alloc();  // all values are constants within zstd's bounds
  };
  set(ZSTD_c_compressionLevel, 1);
  set(ZSTD_c_windowLog, kSymbolWindowLog);
  set(ZSTD_c_strategy, ZSTD_fast);
  set(ZSTD_c_minMatch, 7);
  set(ZSTD_c_hashLog, 6);
}

SymbolWriter::~SymbolWriter() = default;

void SymbolWriter::flush(bool is_last) {
  ZSTD_inBuffer in{buffer_.data(), used_, 0};
  for (bool done = false; !done;) {
    const std::size_t start = out_.size();
    out_.resize(start + kSpareBytes);
    ZSTD_outBuffer out{out_.data() + start, out_.size() - start, 0};
    const std::size_t left =
        ZSTD_compressStream2(context_->zstd.get(), &out, &in, is_last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // nothing else can fail
    out_.resize(start + out.pos);
    done = is_last ? left == 0 : in.pos == in.size;
  }
  used_ = 0;
}

struct SymbolReader::Context {
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> zstd{ZSTD_createDCtx(), &ZSTD_freeDCtx};
};

SymbolReader::SymbolReader(std::span<const std::byte> frame)
    : context_(std::make_unique<Context>()), buffer_(kSymbolBufferBytes), frame_(frame) {
  if (context_->zstd == nullptr) throw std::bad_alloc();
  const std::size_t result = ZSTD_DCtx_setParameter(context_->zstd.get(), ZSTD_d_windowLogMax, kSymbolWindowLog);
  if (ZSTD_isError(result) != 0) throw std::bad_alloc();  // a constant within zstd's bounds
}

SymbolReader::~SymbolReader() = default;

Result<std::span<const std::uint8_t>> SymbolReader::next() {
  if (read_ == 0 && (frame_.size() < 4 || load_le<std::uint32_t>(frame_.data()) != kFrameMagic)) {
    return broken("start with its magic");
  }
  ZSTD_outBuffer out{buffer_.data(), buffer_.size(), 0};
  ZSTD_inBuffer in{frame_.data(), frame_.size(), read_};
  while (!ended_ && out.pos == 0) {
    const std::size_t left = ZSTD_decompressStream(context_->zstd.get(), &out, &in);
    if (ZSTD_isError(left) != 0) return broken("decode, got ", std::string_view(ZSTD_getErrorName(left)));
    ended_ = left == 0;
    if (!ended_ && out.pos == 0 && in.pos == in.size) return broken("be complete, got ", frame_.size(), " bytes of it");
  }
  read_ = in.pos;
  if (ended_ && read_ != frame_.size()) {
    return broken("fill the rest of the stored payload, ", frame_.size(), " bytes, got ", read_);
  }
  return std::span<const std::uint8_t>(buffer_.data(), out.pos);
}

}  // namespace crivo
