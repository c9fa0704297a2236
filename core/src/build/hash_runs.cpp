#include "crivo/host/hash_runs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error_text.h"
#include "crivo/hash.h"

namespace crivo {
namespace {

/// The seed is the block's position in the file, so that the checksum also detects misplaced blocks.
template <class Record>
std::uint64_t checksum_of(std::span<const Record> block, std::uint64_t place) noexcept {
  return hash_key(std::string_view(reinterpret_cast<const char*>(block.data()), block.size_bytes()), place);
}

}  // namespace

template <class Record>
Result<void> RecordRuns<Record>::append(std::span<const Record> run) {
  if constexpr (!kHasFiles) return error(ErrorCode::kSystem, "hashes must fit in memory, got ", run.size(), " more");
  if (!file_) {
    Result<TemporaryFile> made = TemporaryFile::make(folder_);
    if (!made) return made.error();
    file_.emplace(*std::move(made));
  }
  if (auto written = file_->write(sizeof(Record) * size_, std::as_bytes(run)); !written) return written;
  Run made{size_, run.size(), {}};
  made.blocks.reserve((run.size() + block_hashes_ - 1) / block_hashes_);
  for (std::size_t at = 0; at < run.size(); at += block_hashes_) {
    const auto block = run.subspan(at, std::min(block_hashes_, run.size() - at));
    made.blocks.push_back({hash_of(block.front()), checksum_of(block, size_ + at)});
  }
  runs_.push_back(std::move(made));
  blocks_ += runs_.back().blocks.size();
  size_ += run.size();
  return {};
}

template <class Record>
auto RecordRuns<Record>::blocks_with(const Run& run, std::uint64_t first, std::uint64_t last) const noexcept -> Blocks {
  const auto begins_after = [&](std::uint64_t hash) {
    const auto found = std::upper_bound(run.blocks.begin(), run.blocks.end(), hash,
                                        [](std::uint64_t value, const Block& block) { return value < block.first; });
    return static_cast<std::size_t>(found - run.blocks.begin());
  };
  const std::size_t end = begins_after(last);
  const std::size_t begin = begins_after(first);
  return {std::min(end, begin == 0 ? 0 : begin - 1), end};
}

template <class Record>
std::size_t RecordRuns<Record>::hashes_in(const Run& run, Blocks blocks) const noexcept {
  return std::min(blocks.end * block_hashes_, run.hashes) - std::min(blocks.begin * block_hashes_, run.hashes);
}

template <class Record>
std::uint64_t RecordRuns<Record>::buffer_hashes_for(std::uint64_t first, std::uint64_t last) const noexcept {
  std::uint64_t hashes = 0;
  for (const Run& run : runs_) hashes += hashes_in(run, blocks_with(run, first, last));
  return hashes;
}

template <class Record>
Result<void> RecordRuns<Record>::read_blocks(const Run& run, Blocks blocks, std::span<Record> into) const {
  std::uint64_t place = run.at + blocks.begin * block_hashes_;
  if (auto read = file_->read(sizeof(Record) * place, std::as_writable_bytes(into)); !read) return read;
  for (std::size_t number = blocks.begin; number < blocks.end; ++number) {
    const auto block = into.first(std::min(block_hashes_, into.size()));
    if (checksum_of<Record>(block, place) != run.blocks[number].checksum) {
      return file_->failure("return the bytes that were written", EIO);
    }
    into = into.subspan(block.size());
    place += block.size();
  }
  return {};
}

template <class Record>
Result<std::size_t> RecordRuns<Record>::read(std::uint64_t first, std::uint64_t last, std::span<Record> into) const {
  auto end = into.begin();
  for (const Run& run : runs_) {
    const Blocks blocks = blocks_with(run, first, last);
    if (blocks.begin == blocks.end) continue;
    const auto buffer = into.subspan(static_cast<std::size_t>(end - into.begin()), hashes_in(run, blocks));
    if (auto read = read_blocks(run, blocks, buffer); !read) return read.error();
    const auto from = std::partition_point(buffer.begin(), buffer.end(),
                                           [first](const Record& record) { return hash_of(record) < first; });
    const auto to =
        std::partition_point(from, buffer.end(), [last](const Record& record) { return hash_of(record) <= last; });
    end = std::copy(from, to, end);
  }
  return static_cast<std::size_t>(end - into.begin());
}

template <class Record>
Result<void> RecordRuns<Record>::for_each(const std::function<Result<void>(std::span<const Record>)>& use) const {
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    if (auto done = for_each_in(run, use); !done) return done;
  }
  return {};
}

template <class Record>
Result<void> RecordRuns<Record>::for_each_in(std::size_t run_number,
                                             const std::function<Result<void>(std::span<const Record>)>& use) const {
  const Run& run = runs_[run_number];
  std::vector<Record> buffer(std::min(block_hashes_, run.hashes));
  for (std::size_t number = 0; number < run.blocks.size(); ++number) {
    const Blocks one{number, number + 1};
    const auto block = std::span(buffer).first(hashes_in(run, one));
    if (auto read = read_blocks(run, one, block); !read) return read;
    if (auto used = use(block); !used) return used;
  }
  return {};
}

template class RecordRuns<std::uint64_t>;
template class RecordRuns<HashedValue>;

}  // namespace crivo
