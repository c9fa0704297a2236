#include "codec.h"

#include <zstd.h>

#include <memory>
#include <new>

#include "bytes.h"
#include "error_text.h"

namespace crivo {
namespace {

constexpr std::uint32_t kFrameMagic = 0xFD2FB528;  // RFC 8878, 3.1.1
constexpr unsigned kMaxWindowLog = 27;

Error corrupt(const auto&... parts) { return error(ErrorCode::kCorrupt, "zstd frame must ", parts...); }

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

std::vector<std::byte> compress_zstd(std::span<const std::byte> payload, int level, std::size_t room) {
  std::vector<std::byte> out(room + ZSTD_compressBound(payload.size()));
  const std::size_t size = ZSTD_compress(out.data() + room, out.size() - room, payload.data(), payload.size(), level);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // with room for the bound, nothing else can fail
  out.resize(room + size);
  return out;
}

Result<AlignedBytes> decompress_zstd(std::span<const std::byte> frame, std::uint64_t raw_bytes) {
  if (frame.size() < 4 || load_le<std::uint32_t>(frame.data()) != kFrameMagic) return corrupt("start with its magic");
  const unsigned long long content = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR)
    return corrupt("state its content size");
  if (content != raw_bytes) return corrupt("hold the header's ", raw_bytes, " raw payload bytes, got ", content);
  if (ZSTD_getDictID_fromFrame(frame.data(), frame.size()) != 0) return corrupt("need no dictionary");
  if (!has_bounded_window(frame)) return corrupt("have a window of at most 2^", kMaxWindowLog, " bytes");
  const std::size_t frame_bytes = ZSTD_findFrameCompressedSize(frame.data(), frame.size());
  if (ZSTD_isError(frame_bytes) != 0)
    return corrupt("be whole, got ", std::string_view(ZSTD_getErrorName(frame_bytes)));
  if (frame_bytes != frame.size()) {
    return corrupt("fill the stored payload of ", frame.size(), " bytes, got ", frame_bytes);
  }
  // One-shot decoding writes straight into the payload: memory is that and a context of fixed size.
  AlignedBytes payload(static_cast<std::size_t>(raw_bytes));
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (context == nullptr) throw std::bad_alloc();
  const std::size_t size =
      ZSTD_decompressDCtx(context.get(), payload.data(), payload.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0) return corrupt("decode, got ", std::string_view(ZSTD_getErrorName(size)));
  if (size != raw_bytes) return corrupt("decode to ", raw_bytes, " bytes, got ", size);
  return payload;
}

}  // namespace crivo
