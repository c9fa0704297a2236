#include "format/partial_file.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "filter/view_of.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

constexpr std::uint64_t kLine = kCacheLineBytes;
constexpr std::uint64_t kPageBytes = 4096;
// What is asked for first: the header, and in the same step a small file, or the manifest of up to 100 parts.
constexpr std::uint64_t kStartBytes = 4096;
// Sums are fetched for 64 segments (256 KiB) at once: about what the request's own headers take.
constexpr std::uint64_t kSumsBytes = 512;
// A request takes some hundred bytes of its own.
constexpr std::uint64_t kGapBytes = 512;
// A question that still misses more walks over what is not here.
constexpr std::size_t kMostAhead = 64;
// A file that is replaced more often than that while it is opened never is.
constexpr int kMostRestarts = 8;

std::uint64_t round_down(std::uint64_t offset, std::uint64_t to) { return offset / to * to; }
std::uint64_t round_up(std::uint64_t offset, std::uint64_t to) { return (offset + to - 1) / to * to; }

/// The lines from `first` up to but without `last`, which lie in one page.
std::uint64_t lines_of(std::uint64_t first, std::uint64_t last) {
  const std::uint64_t count = last - first;
  return (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first % 64;
}

/// Calls each(page, mask of its lines) for the pages of these lines, while it returns true.
template <class Each>
bool all_pages(std::uint64_t first_line, std::uint64_t end_line, const Each& each) {
  while (first_line < end_line) {
    const std::uint64_t last = std::min(end_line, round_down(first_line, 64) + 64);
    if (!each(first_line / 64, lines_of(first_line, last))) return false;
    first_line = last;
  }
  return true;
}

}  // namespace

/// Of one question.
class PartialFile::Gate final : public ByteGate {
 public:
  Gate(PartialFile& file, MissingBytes& missing) noexcept : file_(file), missing_(missing), before_(missing.size()) {}

  bool admit(std::uint64_t offset, std::uint64_t bytes) override {
    // Only a ribbon or a range filter without keys is read as a whole, when it is opened. A header can claim any size.
    if (bytes > file_.max_whole_bytes_) {
      done_ = limit_error(ErrorCode::kTooLarge, bytes, "filter without keys must have at most ", file_.max_whole_bytes_,
                          " bytes, got ", bytes);
      return false;
    }
    if (!file_.verify_) {
      (void)file_.want(kBlobHeaderBytes + offset, kBlobHeaderBytes + offset + bytes, missing_);
      return missing_.size() - before_ <= kMostAhead;
    }
    const std::uint64_t first = offset / kChecksumSegmentBytes;
    const std::uint64_t last = (offset + bytes - 1) / kChecksumSegmentBytes;
    if (file_.want_segments(first, last, missing_)) {
      for (std::uint64_t segment = first; segment <= last; ++segment) {
        done_ = file_.verify_segment(segment);
        if (!done_) return false;
      }
    }
    return missing_.size() - before_ <= kMostAhead;
  }
  /// What says where to read next must be here.
  bool freeze(std::uint64_t offset, std::uint64_t bytes) override {
    return admit(offset, bytes) && missing_.size() == before_;
  }
  [[nodiscard]] const Result<void>& done() const { return done_; }

 private:
  PartialFile& file_;
  MissingBytes& missing_;
  std::size_t before_;
  Result<void> done_;
};

Result<void> PartialFile::open(MissingBytes& missing) {
  if (is_open()) return {};
  Result<void> done;
  try {
    done = step(missing);
  } catch (const std::bad_alloc&) {
    forget();
    throw;
  }
  if (!done) {
    forget();
  } else if (is_open() && !opened_header_) {
    const std::byte* header = in_pieces_ ? memory_.data() : start_.data();
    std::copy_n(header, kBlobHeaderBytes, opened_header_.emplace().begin());
    restarts_ = 0;
  }
  return done;
}

Result<void> PartialFile::step(MissingBytes& missing) {
  if (in_pieces_) return open_pieces(missing);
  if (auto read = read_start(missing); !read || !missing.empty()) return read;
  const bool without_sums = !is_raw(header_.codec) || (verify_ && header_.codec == Codec::kRaw);
  if (without_sums || header_.shape.kind == Kind::kParts) return open_whole(missing);
  if (auto started = start_pieces(); !started) return started;
  return open_pieces(missing);
}

Result<void> PartialFile::read_start(MissingBytes& missing) {
  const std::uint64_t wanted = file_bytes_ == 0 ? kStartBytes : std::min(file_bytes_, kStartBytes);
  if (start_.size() < wanted && !start_ends_) {
    missing.push_back({0, wanted});
    return {};
  }
  if (auto valid = check_start(start_); !valid) return valid;
  if (opened_header_ && !std::ranges::equal(*opened_header_, std::span(start_).first(kBlobHeaderBytes))) {
    return corrupt("file must not be changed while it is in use: open it again");
  }
  header_ = read_fields(start_);
  return {};
}

/// Makes room for the whole file, of which pages that are not used take none.
Result<void> PartialFile::start_pieces() {
  if (auto valid = check_fields(header_, UINT64_MAX); !valid) return valid;
  const bool has_sums = header_.codec == Codec::kRawSums;
  const std::uint64_t bytes = kBlobHeaderBytes + header_.raw_bytes + (has_sums ? sums_bytes(header_.raw_bytes) : 0);
  if (auto fits = set_file_bytes(bytes); !fits) return fits;
  try {
    if (bytes > std::numeric_limits<std::size_t>::max()) throw std::bad_alloc();
    if (memory_.size() != bytes) memory_ = LazyMemory(static_cast<std::size_t>(bytes));
    here_.resize(static_cast<std::size_t>(bytes / kPageBytes + 1));
    verified_ = std::make_unique<VerifiedSegments>(segments_of(header_.raw_bytes));
  } catch (const std::bad_alloc&) {
    return error(ErrorCode::kTooLarge, "file must fit in the address space, got ", bytes, " bytes");
  }
  in_pieces_ = true;
  const AlignedBytes start = std::exchange(start_, {});
  return take({0, start.size()}, start);
}

/// What a header says of the file's size is believed no more than the size that was known, or found.
Result<void> PartialFile::set_file_bytes(std::uint64_t bytes) {
  if (start_ends_ && start_.size() < bytes) {
    return corrupt("file must have ", bytes, " bytes, as its header says, got ", start_.size(), ": it is truncated");
  }
  if (file_bytes_ != 0 && file_bytes_ != bytes) {
    return corrupt("file must have ", bytes, " bytes, as its header says, got ", file_bytes_);
  }
  file_bytes_ = bytes;
  return {};
}

Result<void> PartialFile::open_whole(MissingBytes& missing) {
  const std::uint64_t extra = is_raw(header_.codec) ? 0 : kStoredExtraBytes;
  const std::uint64_t end = file_bytes_ != 0 ? file_bytes_ : kBlobHeaderBytes + header_.raw_bytes + extra;
  if (end > max_whole_bytes_ + extra || header_.raw_bytes > max_whole_bytes_) {
    return limit_error(ErrorCode::kTooLarge, end,
                       "file without sums, which must be read as a whole, must have at most ", max_whole_bytes_,
                       " bytes, got ", std::max(end, header_.raw_bytes));
  }
  if (start_.size() < end && !start_ends_) {
    missing.push_back({start_.size(), end - start_.size()});
    return {};
  }
  is_manifest_ = header_.shape.kind == Kind::kParts;
  if (is_manifest_) return {};
  Result<OpenedBlob> opened = parse_blob(start_, {.max_bytes = max_whole_bytes_});
  if (!opened) return opened.error();
  whole_ = *std::move(opened);
  ref_ = whole_->ref();
  file_bytes_ = start_.size();
  // It was decoded; open() still needs its header.
  if (!is_raw(header_.codec)) start_ = AlignedBytes(start_.begin(), start_.begin() + kBlobHeaderBytes);
  return {};
}

Result<void> PartialFile::open_pieces(MissingBytes& missing) {
  const auto payload_bytes = static_cast<std::size_t>(header_.raw_bytes);
  const std::byte* payload = memory_.data() + kBlobHeaderBytes;
  if (header_.codec == Codec::kRawSums && want(file_bytes_ - 8, file_bytes_, missing)) {
    const PayloadWithSums sums(payload, payload_bytes);
    if (auto valid = sums.check_header({memory_.data(), kBlobHeaderBytes}); !valid) return valid;
  }
  Gate gate(*this, missing);
  (void)find_kind(header_.shape.kind)->admit_open({header_.shape, payload, payload_bytes}, gate);
  if (!gate.done() || !missing.empty()) return gate.done();
  const Result<FilterRef> ref = FilterRef::open(header_.shape, header_.facts, {payload, payload_bytes});
  if (!ref) return ref.error();
  ref_ = *ref;
  return {};
}

template <class Admit>
Result<void> PartialFile::need(const Admit& admit, MissingBytes& missing) {
  Gate gate(*this, missing);
  (void)admit(gate);
  Result<void> done = gate.done();
  if (!done) forget();
  return done;
}

Result<void> PartialFile::need_hashes(std::span<const std::uint64_t> hashes, MissingBytes& missing) {
  if (whole_) return {};
  const auto admit_question = find_kind(ref_->shape().kind)->admit_question;
  for (const std::uint64_t hash : hashes) {
    auto needed = need([&](Gate& gate) { return admit_question(ViewOf::filter(*ref_), hash, gate); }, missing);
    if (!needed) return needed;
  }
  return {};
}

Result<void> PartialFile::need_range(std::uint64_t low, std::uint64_t high, MissingBytes& missing) {
  const auto admit_range = find_kind(ref_->shape().kind)->admit_range;
  if (whole_ || admit_range == nullptr || low > high) return {};
  return need([&](Gate& gate) { return admit_range(ViewOf::filter(*ref_), low, high, gate); }, missing);
}

/// Whether these bytes of the file are here; if not, they are missing.
bool PartialFile::want(std::uint64_t begin, std::uint64_t end, MissingBytes& missing) const {
  const bool here =
      all_pages(begin / kLine, round_up(end, kLine) / kLine, [&](std::uint64_t page, std::uint64_t lines) {
        return (here_[static_cast<std::size_t>(page)] & lines) == lines;
      });
  if (here) return true;
  const std::uint64_t first = round_down(begin, kLine);
  missing.push_back({first, std::min(round_up(end, kLine), file_bytes_) - first});
  return false;
}

/// Whether these segments and their sums are here; if not, they are missing.
bool PartialFile::want_segments(std::uint64_t first, std::uint64_t last, MissingBytes& missing) const {
  if (first == last && verified_->has(first)) return true;
  const std::uint64_t payload_end = kBlobHeaderBytes + header_.raw_bytes;
  const std::uint64_t begin = kBlobHeaderBytes + first * kChecksumSegmentBytes;
  const std::uint64_t end = kBlobHeaderBytes + (last + 1) * kChecksumSegmentBytes;
  const std::uint64_t sums_begin = round_down(payload_end + 8 * first, kSumsBytes);
  const std::uint64_t sums_end = round_down(payload_end + 8 * last, kSumsBytes) + kSumsBytes;
  const bool bytes_are_here = want(begin, std::min(payload_end, end), missing);
  return want(std::max(payload_end, sums_begin), std::min(file_bytes_, sums_end), missing) && bytes_are_here;
}

Result<void> PartialFile::verify_segment(std::uint64_t number) {
  if (verified_->has(number)) return {};
  const PayloadWithSums sums(memory_.data() + kBlobHeaderBytes, header_.raw_bytes);
  if (auto valid = sums.check_segment(number); !valid) return valid;
  verified_->add(number);
  return {};
}

Result<void> PartialFile::supply(const ByteRange& asked, std::span<const std::byte> bytes, const std::string& version) {
  if (bytes.empty()) return take(asked, bytes);  // of no version
  const bool is_wanted = in_pieces_ || asked.offset == 0 || asked.offset == start_.size();
  if (!is_wanted) return {};  // it came late
  if (version_ && *version_ != version) {
    const std::string before = *version_;
    if (!opened_header_) {  // then all of it is to be of this one
      forget();
      if (++restarts_ <= kMostRestarts) {
        version_ = version;
        return asked.offset == 0 ? take(asked, bytes) : Result<void>();
      }
      restarts_ = 0;
    }
    return corrupt("file must not be changed while it is in use, got version ", version, " after ", before,
                   ": open it again");
  }
  version_ = version;
  return take(asked, bytes);
}

Result<void> PartialFile::take(const ByteRange& asked, std::span<const std::byte> bytes) {
  bytes = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), asked.bytes)));
  if (!in_pieces_) {
    if (whole_ || asked.offset != start_.size()) return {};  // another question has asked for the same
    start_.insert(start_.end(), bytes.begin(), bytes.end());
    start_ends_ = bytes.size() < asked.bytes || start_.size() == file_bytes_;
    return {};
  }
  const std::uint64_t end = std::min(file_bytes_, asked.offset + asked.bytes);
  if (asked.offset >= end || asked.offset % kLine != 0) return {};  // as for a start that came meanwhile
  if (bytes.size() < end - asked.offset) {
    return corrupt("file must have ", file_bytes_, " bytes, as its header says, got at most ",
                   asked.offset + bytes.size(), ": it is truncated, or was replaced: open it again");
  }
  const std::uint64_t end_line = end == file_bytes_ ? round_up(end, kLine) / kLine : end / kLine;
  for (std::uint64_t line = asked.offset / kLine; line < end_line; ++line) {
    std::uint64_t& lines = here_[static_cast<std::size_t>(line / 64)];
    if ((lines >> line % 64 & 1) != 0) continue;
    pages_ += lines == 0 ? 1 : 0;
    lines |= std::uint64_t{1} << line % 64;
    const std::uint64_t at = line * kLine;
    const auto count = static_cast<std::size_t>(std::min(kLine, end - at));
    std::ranges::copy(bytes.subspan(static_cast<std::size_t>(at - asked.offset), count), memory_.data() + at);
  }
  return {};
}

void PartialFile::forget() {
  ref_.reset();
  whole_.reset();
  verified_.reset();
  Lines().swap(here_);  // whose memory is 0 only when it is new
  pages_ = 0;
  in_pieces_ = false;
  start_ = {};
  start_ends_ = false;
  is_manifest_ = false;
  if (kGivesPagesBack || !opened_header_) memory_ = {};  // else it will be wanted again, and nothing is gained
  if (opened_header_) return;
  file_bytes_ = known_bytes_;
  version_.reset();
}

std::uint64_t PartialFile::memory_bytes() const noexcept {
  const bool is_decoded = whole_ && !is_raw(header_.codec);
  const std::uint64_t pieces = kGivesPagesBack ? kPageBytes * pages_ : memory_.size();
  return start_.capacity() + pieces + (is_decoded ? ref_->payload().size() : 0);
}

std::uint64_t PartialFile::bytes_to_open() const {
  if (is_open() || in_pieces_ || !check_start(start_)) return 0;
  const Header header = read_fields(start_);
  return is_raw(header.codec) && kGivesPagesBack ? 0 : header.raw_bytes;
}

std::uint64_t PartialFile::checksum() const noexcept {
  return opened_header_ ? load_le<std::uint64_t>(opened_header_->data() + kChecksumOffset) : 0;
}

std::uint64_t memory_for(const ByteRange& range) noexcept {
  return round_up(range.offset + range.bytes, kPageBytes) - round_down(range.offset, kPageBytes);
}

void join_ranges(MissingBytes& ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::offset);
  std::size_t joined = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    ByteRange& last = ranges[joined];
    const std::uint64_t end = ranges[i].offset + ranges[i].bytes;
    if (ranges[i].offset <= last.offset + last.bytes + kGapBytes) {
      last.bytes = std::max(last.bytes, end - last.offset);
    } else {
      ranges[++joined] = ranges[i];
    }
  }
  if (!ranges.empty()) ranges.resize(joined + 1);
}

}  // namespace crivo
