#include "crivo/host/blob_in_place.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "base/error_text.h"
#include "crivo/blob.h"
#include "crivo/hash.h"
#include "crivo/host/bytes.h"
#include "crivo/host/paged_filter.h"
#include "filter/facts.h"
#include "format/blob_header.h"
#include "hash/checksum.h"

namespace crivo {
namespace {

using HeaderBytes = std::array<std::byte, kBlobHeaderBytes>;

/// The segments of the payload that contain a key's bits, before and after the change.
class KeySegments : public PageSource {
 public:
  KeySegments(StoredBlob& blob, std::uint64_t payload_bytes) : blob_(blob), payload_bytes_(payload_bytes) {}

  const Page* read(std::uint64_t page) override { return &load(page).page; }
  Page& write(std::uint64_t page) override { return load(page).page; }

  /// The change of the blob's checksum.
  [[nodiscard]] std::uint64_t checksum_change() const noexcept {
    std::uint64_t change = 0;
    for (const auto& segment : segments_) {
      change += segment_checksum(segment->number, segment->after) - segment_checksum(segment->number, segment->before);
    }
    return change;
  }

  /// Writes only the bytes that changed, because SQLite journals every page that is written.
  void store() {
    for (const auto& segment : segments_) {
      const auto [first, unused] = std::ranges::mismatch(segment->before, segment->after);
      if (first == segment->before.end()) continue;
      std::size_t end = segment->after.size();
      while (segment->before[end - 1] == segment->after[end - 1]) --end;
      const auto begin = static_cast<std::size_t>(first - segment->before.begin());
      blob_.write(offset_of(segment->number) + begin, std::span(segment->after).subspan(begin, end - begin));
    }
  }

 private:
  struct Segment {
    std::uint64_t number;
    std::vector<std::byte> before;
    std::vector<std::byte> after;
    Page page{.bytes = after.data()};
  };

  static std::uint64_t offset_of(std::uint64_t segment) noexcept {
    return kBlobHeaderBytes + segment * kChecksumSegmentBytes;
  }

  Segment& load(std::uint64_t number) {
    for (const auto& segment : segments_) {
      if (segment->number == number) return *segment;
    }
    const std::uint64_t left = payload_bytes_ - number * kChecksumSegmentBytes;
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min<std::uint64_t>(left, kChecksumSegmentBytes)));
    blob_.read(offset_of(number), bytes);
    segments_.push_back(std::make_unique<Segment>(Segment{number, bytes, bytes}));
    return *segments_.back();
  }

  StoredBlob& blob_;
  std::uint64_t payload_bytes_;
  std::vector<std::unique_ptr<Segment>> segments_;  // few, because a key has at most 64 positions
};

Result<void> check_stored(const Header& header, std::uint64_t blob_bytes) {
  if (auto valid = check_fields(header, std::numeric_limits<std::uint64_t>::max()); !valid) return valid.error();
  if (auto valid = check_facts(header.facts); !valid) return valid.error();
  if (header.codec != Codec::kRaw) {
    return error(ErrorCode::kUnsupported, "codec must be raw to add keys in place, got ", codec_name(header.codec));
  }
  if (blob_bytes != kBlobHeaderBytes + header.raw_bytes) {
    return corrupt("blob size must be ", kBlobHeaderBytes + header.raw_bytes, " bytes, as its header states, got ",
                   blob_bytes);
  }
  return {};
}

Result<Header> read_header(StoredBlob& blob, HeaderBytes& bytes) {
  const auto start =
      std::span(bytes).first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), blob.size())));
  blob.read(0, start);
  if (auto valid = check_start(start); !valid) return valid.error();
  const Header header = read_fields(bytes);
  if (auto valid = check_stored(header, blob.size()); !valid) return valid.error();
  return header;
}

/// Increments the header's number of keys, and updates the checksum. Returns the header from the number of keys on.
std::span<const std::byte> count_key(Header header, std::uint64_t checksum_change, HeaderBytes& bytes) {
  const auto fields = std::span(bytes).first(kChecksumOffset);
  const std::uint64_t before = header_checksum(fields);
  if (header.facts.keys != std::numeric_limits<std::uint64_t>::max()) ++header.facts.keys;
  store_le(bytes.data() + kKeysOffset, header.facts.keys);
  std::byte* const sum = bytes.data() + kChecksumOffset;
  store_le(sum, load_le<std::uint64_t>(sum) + checksum_change + header_checksum(fields) - before);
  return std::span(bytes).subspan(kKeysOffset);
}

}  // namespace

Result<bool> add_in_place(StoredBlob& blob, std::string_view key) {
  HeaderBytes bytes;
  const Result<Header> header = read_header(blob, bytes);
  if (!header) return header.error();
  const Result<PagedFilter> filter = PagedFilter::open_payload(header->shape, kChecksumSegmentBytes);
  if (!filter) return filter.error();
  const std::uint64_t hash = hash_key(key, header->shape.seed);
  KeySegments segments(blob, filter->payload_bytes());
  const Result<Added> added = filter->add_hash(hash, segments);
  if (!added.has_value()) return added.error();
  const bool is_new = added->is_new;
  if (!is_new && !filter->counts()) return false;
  const std::span<const std::byte> counted = count_key(*header, segments.checksum_change(), bytes);
  segments.store();
  blob.write(kKeysOffset, counted);
  return is_new;
}

}  // namespace crivo
