#include "crivo/mapped_filter.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/byte_gate.h"
#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "crivo/map.h"
#include "filter/view_of.h"
#include "format/blob_header.h"
#include "format/codec_sums.h"
#include "format/mapped_file.h"
#include "format/mapped_guard.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// Verifies each segment before its first read. Without sums, admits all reads: parse_blob verifies the whole file.
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
  /// Success, or the error that made admit() or freeze() return false.
  [[nodiscard]] Result<void> done() const { return done_; }

 private:
  MappedFile& file_;
  const std::optional<PayloadWithSums>& sums_;
  std::optional<VerifiedSegments>& verified_;
  Result<void> done_;
};

}  // namespace

class MappedFilter::State {
 public:
  State(std::unique_ptr<MappedFile> file, AlignedBytes memory) noexcept
      : file_(std::move(file)), memory_(std::move(memory)) {}
  Result<void> read(const ReadLimits& limits);

  /// Verifies what queries of these hashes read, then calls answer(filter). After an error, the answers are invalid.
  template <class Answer>
  Result<void> query(std::span<const std::uint64_t> hashes, const Answer& answer);
  /// The same, but admit_reads(row, gate) verifies what the query reads.
  template <class Admit, class Answer>
  Result<void> query_admitted(const Admit& admit_reads, const Answer& answer);
  Result<void> look_at_whole(const std::function<void(const FilterRef&)>& look);

  [[nodiscard]] const FilterRef& ref() const noexcept { return *ref_; }
  [[nodiscard]] std::uint64_t checksum() const noexcept { return checksum_; }
  [[nodiscard]] Codec codec() const noexcept { return codec_; }
  [[nodiscard]] std::uint64_t blob_bytes() const noexcept { return blob_bytes_; }
  [[nodiscard]] bool is_mapped() const noexcept { return file_ != nullptr; }

 private:
  template <class Work>
  Result<void> while_reading(const Work& work);
  Result<void> read_file(const ReadLimits& limits);
  Result<void> decode(std::span<const std::byte> header_bytes, const ReadLimits& limits);
  Result<void> freeze_structure(const Header& header);
  Result<void> open_with_sums(std::span<const std::byte> header_bytes, const Header& header);
  Result<void> parse(std::span<const std::byte> blob, const ReadLimits& limits);
  Result<void> verify_all();

  std::unique_ptr<MappedFile> file_;  // null if the filter is in memory
  AlignedBytes memory_;               // the blob, if it was not read from a file
  std::optional<OpenedBlob> opened_;  // a blob that was verified as a whole when it was opened
  // Set, instead of opened_, for a file whose segments are verified when they are first read.
  std::optional<PayloadWithSums> sums_;
  std::optional<VerifiedSegments> verified_;
  std::optional<FilterRef> ref_;
  Codec codec_ = Codec::kRaw;
  std::uint64_t blob_bytes_ = 0;
  std::uint64_t checksum_ = 0;
};

/// If the file has changed, the work may have failed in any way, so the change is reported instead of the work's error.
template <class Work>
Result<void> MappedFilter::State::while_reading(const Work& work) {
  const MappedRead reading(file_->range());
  Result<void> done = work();
  if (!file_->is_unchanged()) return file_->change_error();
  return done;
}

template <class Answer>
Result<void> MappedFilter::State::query(std::span<const std::uint64_t> hashes, const Answer& answer) {
  return query_admitted(
      [&](const KindRow& row, ByteGate& gate) {
        return std::ranges::all_of(
            hashes, [&](std::uint64_t hash) { return row.admit_query(ViewOf::filter(*ref_), hash, gate); });
      },
      answer);
}

template <class Admit, class Answer>
Result<void> MappedFilter::State::query_admitted(const Admit& admit_reads, const Answer& answer) {
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
  if (!file_->is_unchanged()) return file_->change_error();
  return {};
}

Result<void> MappedFilter::State::look_at_whole(const std::function<void(const FilterRef&)>& look) {
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

Result<void> MappedFilter::State::read(const ReadLimits& limits) {
  if (file_ == nullptr) return parse(memory_, limits);
  if (auto done = while_reading([&] { return read_file(limits); }); !done) return done;
  if (opened_ && !is_raw(codec_)) file_.reset();  // the filter was decoded into memory
  return {};
}

Result<void> MappedFilter::State::read_file(const ReadLimits& limits) {
  const auto header_bytes = file_->bytes().first(std::min(file_->bytes().size(), kBlobHeaderBytes));
  if (auto frozen = file_->freeze(0, header_bytes.size()); !frozen) return frozen;  // the header is read more than once
  if (auto valid = check_start(header_bytes); !valid) return valid;
  const Header header = read_fields(header_bytes);
  if (header.codec == Codec::kRawSums) return open_with_sums(header_bytes, header);
  if (header.codec != Codec::kRaw) return decode(header_bytes, limits);
  if (auto frozen = freeze_structure(header); !frozen) return frozen;
  return parse(file_->bytes(), {.max_bytes = kNoLimit});
}

/// Decodes a copy of a compressed file, because the bytes must not change while they are decoded. The copy begins with
/// the frozen header, because the file's header may have changed.
Result<void> MappedFilter::State::decode(std::span<const std::byte> header_bytes, const ReadLimits& limits) {
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

/// Freezes the bytes that determine where queries read, before parse() validates these bytes. Does nothing for an
/// invalid header, which parse() rejects.
Result<void> MappedFilter::State::freeze_structure(const Header& header) {
  const std::span<const std::byte> payload = file_->bytes().subspan(kBlobHeaderBytes);
  if (!check_fields(header, kNoLimit) || payload.size() != header.raw_bytes) return {};
  FileGate gate(*file_, sums_, verified_);
  (void)find_kind(header.shape.kind)->admit_open({header.shape, payload.data(), payload.size()}, gate);
  return gate.done();
}

Result<void> MappedFilter::State::open_with_sums(std::span<const std::byte> header_bytes, const Header& header) {
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
  checksum_ = load_le<std::uint64_t>(header_bytes.data() + kChecksumOffset);
  return {};
}

Result<void> MappedFilter::State::parse(std::span<const std::byte> blob, const ReadLimits& limits) {
  Result<OpenedBlob> opened = parse_blob(blob, limits);
  if (!opened) return opened.error();
  opened_ = *std::move(opened);
  ref_ = opened_->ref();
  codec_ = opened_->codec();
  blob_bytes_ = opened_->blob_bytes();
  checksum_ = load_le<std::uint64_t>(blob.data() + kChecksumOffset);
  return {};
}

Result<void> MappedFilter::State::verify_all() {
  if (!verified_) return {};
  FileGate gate(*file_, sums_, verified_);
  if (!gate.admit(0, ref_->payload().size())) return gate.done();
  if (auto valid = sums_->check_total(file_->bytes().first(kBlobHeaderBytes)); !valid) return valid;
  return check_whole(ViewOf::filter(*ref_));
}

MappedFilter::MappedFilter(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
MappedFilter::MappedFilter(MappedFilter&&) noexcept = default;
MappedFilter& MappedFilter::operator=(MappedFilter&&) noexcept = default;
MappedFilter::~MappedFilter() = default;

Result<MappedFilter> MappedFilter::open(const std::string& path, const MapOptions& options) {
  Result<std::unique_ptr<MappedFile>> file = MappedFile::open(path, options.file_may_change);
  if (!file) return file.error();
  auto state = std::make_unique<State>(*std::move(file), AlignedBytes());
  if (auto read = state->read(options.limits); !read) return read.error();
  return MappedFilter(std::move(state));
}

Result<MappedFilter> MappedFilter::adopt(AlignedBytes blob, const ReadLimits& limits) {
  auto state = std::make_unique<State>(nullptr, std::move(blob));
  if (auto read = state->read(limits); !read) return read.error();
  return MappedFilter(std::move(state));
}

Result<bool> MappedFilter::may_contain_hash(std::uint64_t key_hash) const {
  bool hit = false;
  auto done = state_->query({&key_hash, 1}, [&](const FilterRef& filter) { hit = filter.may_contain_hash(key_hash); });
  if (!done) return done.error();
  return hit;
}

Result<void> MappedFilter::may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const {
  return state_->query(hashes, [&](const FilterRef& filter) { filter.may_contain_hashes(hashes, hits); });
}

Result<std::uint64_t> MappedFilter::count_hash(std::uint64_t key_hash) const {
  Result<std::uint64_t> count = std::uint64_t{0};
  auto done = state_->query({&key_hash, 1}, [&](const FilterRef& filter) { count = filter.count_hash(key_hash); });
  if (!done) return done.error();
  return count;
}

Result<bool> MappedFilter::may_contain_range(std::uint64_t low, std::uint64_t high) const {
  bool hit = false;
  auto done = state_->query_admitted(
      [&](const KindRow& row, ByteGate& gate) {
        return low > high || row.admit_range == nullptr ||
               row.admit_range(ViewOf::filter(state_->ref()), low, high, gate);
      },
      [&](const FilterRef& filter) { hit = filter.may_contain_range(low, high); });
  if (!done) return done.error();
  return hit;
}

Result<std::optional<std::uint64_t>> MappedFilter::find_hash(std::uint64_t key_hash) const {
  std::uint64_t value = 0;
  bool found = false;
  if (auto done = find_hashes({&key_hash, 1}, {&value, 1}, {&found, 1}); !done) return done.error();
  return found ? std::optional(value) : std::nullopt;
}

Result<void> MappedFilter::find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                                       std::span<bool> found) const {
  const Result<MapRef> map = MapRef::of(state_->ref());
  if (!map) return map.error();
  return state_->query(hashes, [&](const FilterRef& /*filter*/) { map->find_hashes(hashes, values, found); });
}

Result<void> MappedFilter::verify() const {
  return look_at_whole([](const FilterRef&) {});
}

Result<void> MappedFilter::look_at_whole(const std::function<void(const FilterRef&)>& look) const {
  return state_->look_at_whole(look);
}

Result<FilterRef> MappedFilter::whole() const {
  if (auto verified = verify(); !verified) return verified.error();
  return state_->ref();
}

Result<AnyFilter> MappedFilter::to_filter(const ReadLimits& limits) const {
  if (payload_bytes() > limits.max_bytes) {
    return limit_error(ErrorCode::kTooLarge, payload_bytes(), "raw payload bytes must be at most the limit of ",
                       limits.max_bytes, ", got ", payload_bytes());
  }
  std::optional<AnyFilter> copy;
  const auto copy_filter = [&](const FilterRef& ref) { copy = AnyFilter::copy_of(ref, limits.max_bytes); };
  if (auto copied = look_at_whole(copy_filter); !copied) return copied.error();
  return *std::move(copy);
}

const Shape& MappedFilter::shape() const noexcept { return state_->ref().shape(); }
const Facts& MappedFilter::facts() const noexcept { return state_->ref().facts(); }
const KindInfo& MappedFilter::kind() const noexcept { return state_->ref().kind(); }
Codec MappedFilter::codec() const noexcept { return state_->codec(); }
std::uint64_t MappedFilter::payload_bytes() const noexcept { return state_->ref().payload().size(); }
std::uint64_t MappedFilter::blob_bytes() const noexcept { return state_->blob_bytes(); }
std::uint64_t MappedFilter::checksum() const noexcept { return state_->checksum(); }
bool MappedFilter::is_mapped() const noexcept { return state_->is_mapped(); }

Result<void> guard_mapped_files() { return install_bus_guard(); }

}  // namespace crivo
