#include "format/filter_file.h"

#include <algorithm>
#include <limits>

#include "base/byte_gate.h"
#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "crivo/map.h"
#include "filter/view_of.h"
#include "format/mapped_guard.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// Verifies each segment that bytes are asked of, once. Without sums, all bytes were verified before.
class FileGate final : public ByteGate {
 public:
  FileGate(MappedFile& file, const std::optional<PayloadWithSums>& sums,
           std::optional<VerifiedSegments>& verified) noexcept
      : file_(file), sums_(sums), verified_(verified) {}

  bool admit(std::uint64_t offset, std::uint64_t bytes) override {
    if (!sums_) return true;
    const std::uint64_t last = (offset + bytes - 1) / kChecksumSegmentBytes;
    for (std::uint64_t segment = offset / kChecksumSegmentBytes; segment <= last; ++segment) {
      if (verified_->has(segment)) continue;
      done_ = sums_->check_segment(segment);
      if (!done_) return false;
      verified_->add(segment);
    }
    return true;
  }
  bool freeze(std::uint64_t offset, std::uint64_t bytes) override {
    done_ = file_.freeze(kBlobHeaderBytes + offset, bytes);
    return done_ && admit(offset, bytes);
  }
  /// Why it refused.
  [[nodiscard]] Result<void> done() const { return done_; }

 private:
  MappedFile& file_;
  const std::optional<PayloadWithSums>& sums_;
  std::optional<VerifiedSegments>& verified_;
  Result<void> done_;
};

}  // namespace

/// A file that changes can make the work fail in any way. So what became of the file is the first to be reported.
template <class Work>
Result<void> FilterFile::while_reading(const Work& work) {
  const MappedRead reading(file_->range());
  Result<void> done = work();
  if (!file_->is_as_opened()) return file_->why_not();
  return done;
}

/// Calls answer(filter) once all that these hashes read is verified. Its answers are right if there is no error.
template <class Answer>
Result<void> FilterFile::ask(std::span<const std::uint64_t> hashes, const Answer& answer) {
  return ask_admitted(
      [&](const KindRow& row, ByteGate& gate) {
        return std::ranges::all_of(
            hashes, [&](std::uint64_t hash) { return row.admit_question(ViewOf::filter(*ref_), hash, gate); });
      },
      answer);
}
/// The same for what admit(row, gate) admits.
template <class Admit, class Answer>
Result<void> FilterFile::ask_admitted(const Admit& admit_reads, const Answer& answer) {
  if (file_ == nullptr) {
    answer(*ref_);
    return {};
  }
  if (verified_ && !verified_->all()) {
    return while_reading([&]() -> Result<void> {
      FileGate gate(*file_, sums_, verified_);
      if (!admit_reads(*find_kind(ref_->shape().kind), gate)) return gate.done();
      answer(*ref_);
      return {};
    });
  }
  {
    const MappedRead reading(file_->range());
    answer(*ref_);
  }
  if (!file_->is_as_opened()) return file_->why_not();
  return {};
}

Result<std::unique_ptr<FilterFile>> FilterFile::open(std::unique_ptr<MappedFile> file, AlignedBytes memory,
                                                     const ReadLimits& limits) {
  std::unique_ptr<FilterFile> opened(new FilterFile(std::move(file), std::move(memory)));
  if (auto done = opened->read(limits); !done) return done.error();
  return opened;
}

Result<bool> FilterFile::may_contain_hash(std::uint64_t hash) {
  bool hit = false;
  if (auto asked = ask({&hash, 1}, [&](const FilterRef& filter) { hit = filter.may_contain_hash(hash); }); !asked) {
    return asked.error();
  }
  return hit;
}

Result<void> FilterFile::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) {
  return ask(hashes, [&](const FilterRef& filter) { filter.may_contain_hashes(hashes, hits); });
}

Result<std::uint64_t> FilterFile::count_hash(std::uint64_t hash) {
  Result<std::uint64_t> count = std::uint64_t{0};
  if (auto asked = ask({&hash, 1}, [&](const FilterRef& filter) { count = filter.count_hash(hash); }); !asked) {
    return asked.error();
  }
  return count;
}

Result<bool> FilterFile::may_contain_range(std::uint64_t low, std::uint64_t high) {
  bool hit = false;
  auto asked = ask_admitted(
      [&](const KindRow& row, ByteGate& gate) {
        return low > high || row.admit_range == nullptr || row.admit_range(ViewOf::filter(*ref_), low, high, gate);
      },
      [&](const FilterRef& filter) { hit = filter.may_contain_range(low, high); });
  if (!asked) return asked.error();
  return hit;
}

Result<void> FilterFile::find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                                     std::span<bool> found) {
  const Result<MapRef> map = MapRef::of(*ref_);
  if (!map) return map.error();
  return ask(hashes, [&](const FilterRef& /*filter*/) { map->find_hashes(hashes, values, found); });
}

Result<void> FilterFile::look_at_whole(const std::function<void(const FilterRef&)>& look) {
  if (file_ == nullptr) {
    look(*ref_);
    return {};
  }
  return while_reading([&]() -> Result<void> {
    if (auto verified = verify_all(); !verified) return verified;
    look(*ref_);
    return {};
  });
}

Result<void> FilterFile::read(const ReadLimits& limits) {
  if (file_ == nullptr) return parse(memory_, limits);
  if (auto done = while_reading([&] { return read_file(limits); }); !done) return done;
  if (opened_ && !is_raw(codec_)) file_.reset();  // it was decoded into memory
  return {};
}

Result<void> FilterFile::read_file(const ReadLimits& limits) {
  const auto header_bytes = file_->bytes().first(std::min(file_->bytes().size(), kBlobHeaderBytes));
  if (auto frozen = file_->freeze(0, header_bytes.size()); !frozen) return frozen;  // it is looked at more than once
  if (auto valid = check_start(header_bytes); !valid) return valid;
  checksum_ = load_le<std::uint64_t>(header_bytes.data() + kChecksumOffset);
  const Header header = read_fields(header_bytes);
  if (header.codec == Codec::kRawSums) return open_with_sums(header_bytes, header);
  if (header.codec != Codec::kRaw) return decode(header_bytes, limits);
  if (auto frozen = freeze_structure(header); !frozen) return frozen;
  return parse(file_->bytes(), {.max_bytes = kNoLimit});
}

/// Reads a compressed file from a copy, as its bytes must not change while they are decoded. The copy starts with the
/// header that was looked at, which may be another one in the file by now.
Result<void> FilterFile::decode(std::span<const std::byte> header_bytes, const ReadLimits& limits) {
  const std::size_t bytes = file_->bytes().size();
  if (bytes > kStoredExtraBytes && bytes - kStoredExtraBytes > limits.max_bytes) {
    return limit_error(ErrorCode::kTooLarge, bytes - kStoredExtraBytes, "compressed file must have at most ",
                       kStoredExtraBytes, " bytes more than the limit of ", limits.max_bytes, ", got ", bytes);
  }
  AlignedBytes copy(bytes);
  std::ranges::copy(header_bytes, copy.begin());
  const Result<std::size_t> copied = file_->read(kBlobHeaderBytes, std::span(copy).subspan(kBlobHeaderBytes));
  if (!copied.has_value()) return copied.error();
  return parse(std::span(copy).first(kBlobHeaderBytes + *copied), limits);
}

/// Freezes what says where questions read, before parse() checks it. A header that is not sound is left to parse().
Result<void> FilterFile::freeze_structure(const Header& header) {
  const std::span<const std::byte> payload = file_->bytes().subspan(kBlobHeaderBytes);
  if (!check_fields(header, kNoLimit) || payload.size() != header.raw_bytes) return {};
  FileGate gate(*file_, sums_, verified_);
  (void)find_kind(header.shape.kind)->admit_open({header.shape, payload.data(), payload.size()}, gate);
  return gate.done();
}

Result<void> FilterFile::open_with_sums(std::span<const std::byte> header_bytes, const Header& header) {
  const std::span<const std::byte> stored = file_->bytes().subspan(kBlobHeaderBytes);
  if (auto valid = check_sums_length(stored.size(), header.raw_bytes); !valid) return valid;
  sums_.emplace(stored.data(), header.raw_bytes);
  if (auto valid = sums_->check_header(header_bytes); !valid) return valid;
  if (auto valid = check_fields(header, kNoLimit); !valid) return valid;
  const auto payload = stored.first(static_cast<std::size_t>(header.raw_bytes));
  verified_.emplace(sums_->segments());
  FileGate gate(*file_, sums_, verified_);
  const View view{header.shape, payload.data(), payload.size()};
  if (!find_kind(header.shape.kind)->admit_open(view, gate)) return gate.done();
  const Result<FilterRef> ref = FilterRef::open(header.shape, header.facts, payload);
  if (!ref) return ref.error();
  ref_ = *ref;
  codec_ = header.codec;
  blob_bytes_ = file_->bytes().size();
  return {};
}

Result<void> FilterFile::parse(std::span<const std::byte> blob, const ReadLimits& limits) {
  Result<OpenedBlob> opened = parse_blob(blob, limits);
  if (!opened) return opened.error();
  opened_ = *std::move(opened);
  ref_ = opened_->ref();
  codec_ = opened_->codec();
  blob_bytes_ = opened_->blob_bytes();
  return {};
}

Result<void> FilterFile::verify_all() {
  if (!verified_) return {};
  FileGate gate(*file_, sums_, verified_);
  if (!gate.admit(0, ref_->payload().size())) return gate.done();
  if (auto valid = sums_->check_total(file_->bytes().first(kBlobHeaderBytes)); !valid) return valid;
  return check_whole(ViewOf::filter(*ref_));
}

}  // namespace crivo
