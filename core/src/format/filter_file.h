// One filter in a file, or in memory: what a question reads is verified first. crivo/mapped_filter.h says what is
// promised of such files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "crivo/blob.h"
#include "crivo/filter.h"
#include "crivo/memory.h"
#include "format/blob_header.h"
#include "format/codec_sums.h"
#include "format/mapped_file.h"
#include "format/mapped_segments.h"

namespace crivo {

/// Any number of threads may ask it at the same time.
class FilterFile {
 public:
  /// The filter in a file; or, without one, in memory. Errors: those of MappedFilter::open, or of parse_blob.
  [[nodiscard]] static Result<std::unique_ptr<FilterFile>> open(std::unique_ptr<MappedFile> file, AlignedBytes memory,
                                                                const ReadLimits& limits);

  // As of MappedFilter, whose header says what they promise.
  [[nodiscard]] Result<bool> may_contain_hash(std::uint64_t hash);
  Result<void> may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits);
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t hash);
  [[nodiscard]] Result<bool> may_contain_range(std::uint64_t low, std::uint64_t high);
  Result<void> find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                           std::span<bool> found);
  Result<void> look_at_whole(const std::function<void(const FilterRef&)>& look);

  [[nodiscard]] const FilterRef& ref() const noexcept { return *ref_; }
  /// That of the header.
  [[nodiscard]] std::uint64_t checksum() const noexcept { return checksum_; }
  [[nodiscard]] Codec codec() const noexcept { return codec_; }
  [[nodiscard]] std::uint64_t blob_bytes() const noexcept { return blob_bytes_; }
  [[nodiscard]] bool is_mapped() const noexcept { return file_ != nullptr; }

 private:
  FilterFile(std::unique_ptr<MappedFile> file, AlignedBytes memory) noexcept
      : file_(std::move(file)), memory_(std::move(memory)) {}
  template <class Answer>
  Result<void> ask(std::span<const std::uint64_t> hashes, const Answer& answer);
  template <class Admit, class Answer>
  Result<void> ask_admitted(const Admit& admit_reads, const Answer& answer);
  Result<void> read(const ReadLimits& limits);
  template <class Work>
  Result<void> while_reading(const Work& work);
  Result<void> read_file(const ReadLimits& limits);
  Result<void> decode(std::span<const std::byte> header_bytes, const ReadLimits& limits);
  Result<void> freeze_structure(const Header& header);
  Result<void> open_with_sums(std::span<const std::byte> header_bytes, const Header& header);
  Result<void> parse(std::span<const std::byte> blob, const ReadLimits& limits);
  Result<void> verify_all();

  std::unique_ptr<MappedFile> file_;     // null if the filter lies in memory
  AlignedBytes memory_;                  // the blob, if it was not read from a file
  std::optional<OpenedBlob> opened_;     // of a blob that was verified as a whole when it was opened
  std::optional<PayloadWithSums> sums_;  // of any other, as well as the next
  std::optional<VerifiedSegments> verified_;
  std::optional<FilterRef> ref_;
  Codec codec_ = Codec::kRaw;
  std::uint64_t blob_bytes_ = 0;
  std::uint64_t checksum_ = 0;
};

}  // namespace crivo
