#include "builder/hash_log.h"

#include <algorithm>
#include <stdexcept>

#include "crivo/host/sort.h"
#include "crivo/host/text.h"

namespace crivo::plugin {
namespace {

[[noreturn]] void fail(const Error& error) {
  throw std::runtime_error(rename_field(error.message, "temp_folder", "folder of temporary files"));
}

}  // namespace

HashLog::~HashLog() {
  clear();
  if (first_ != nullptr) memory_->discount(kFirstBytes);
}

std::size_t HashLog::in_memory() const noexcept { return (parts() - 1) * kChunkHashes + part(parts() - 1).size(); }

std::size_t HashLog::memory_bytes() const noexcept {
  const std::size_t first = first_ != nullptr ? kFirstBytes : 0;
  if (chunks_.empty()) return first;
  const auto in_last = static_cast<std::size_t>(end_ - hashes_in(chunks_.back())) * sizeof(std::uint64_t);
  return first + (chunks_.size() - 1) * BuildMemory::kChunkBytes + in_last;
}

std::span<std::uint64_t> HashLog::part(std::size_t i) const noexcept {
  std::uint64_t* const begin = chunks_.empty() ? first_.get() : hashes_in(chunks_[i]);
  if (i + 1 < chunks_.size()) return {begin, kChunkHashes};
  return {begin, static_cast<std::size_t>(next_ - begin)};
}

void HashLog::grow() {
  if (first_ == nullptr) {
    first_.reset(new std::uint64_t[kFirstHashes]);
    (void)memory_->count(kFirstBytes, BuildMemory::kNoLimit);  // a file would not be worthwhile
    shrink(0, 0);
    return;
  }
  if (!chunks_.empty() && end_ != hashes_in(chunks_.back()) + kChunkHashes) {
    end_ += kStepHashes;
    return;
  }
  if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 1);
  const std::size_t limit = limit_ == BuildMemory::kNoLimit ? limit_ : limit_ / 2;
  // A log that has filled one chunk usually fills more.
  const auto use = chunks_.empty() ? BuildMemory::Use::kInPart : BuildMemory::Use::kToTheEnd;
  std::byte* const chunk = memory_->allocate_chunk(limit, use);
  if (chunk == nullptr) return spill();
  if (chunks_.empty()) {
    std::uint64_t* const end = std::copy(first_.get(), next_, hashes_in(chunk));
    chunks_.push_back(chunk);
    shrink(1, static_cast<std::size_t>(end - hashes_in(chunk)));
  } else {
    chunks_.push_back(chunk);
    shrink(chunks_.size(), 0);
  }
}

void HashLog::shrink(std::size_t keep, std::size_t used) noexcept {
  for (; chunks_.size() > keep; chunks_.pop_back()) memory_->free_chunk(chunks_.back());
  std::uint64_t* const begin = keep == 0 ? first_.get() : hashes_in(chunks_.back());
  next_ = begin + used;
  const std::size_t step_end = std::min(kChunkHashes, (used / kStepHashes + 1) * kStepHashes);
  end_ = begin + (begin == nullptr ? 0 : keep == 0 ? kFirstHashes : step_end);
}

void HashLog::spill() {
  if (!spilled()) file_.emplace(folder_ != nullptr ? *folder_ : std::string());
  for (std::size_t i = 0; i < parts(); ++i) {
    if (part(i).empty()) continue;
    if (const auto written = file_->append(part(i)); !written) fail(written.error());
  }
  shrink(std::min<std::size_t>(chunks_.size(), 1), 0);  // one chunk, for the next hashes
}

std::span<std::uint64_t> HashLog::in_one_array() {
  if (spilled()) return {};
  if (chunks_.size() > 1) {
    const std::size_t used = part(parts() - 1).size();
    const bool lined_up = make_adjacent(chunks_);
    shrink(chunks_.size(), used);  // the last chunk may have moved
    if (!lined_up) return {};
  }
  return {part(0).data(), in_memory()};
}

std::span<const std::uint64_t> HashLog::make_set() {
  const std::span<std::uint64_t> all = in_one_array();
  if (all.size() != size()) return {};
  const std::span<const std::uint64_t> set = sort_distinct(all);
  const std::size_t full = set.empty() ? 0 : (set.size() - 1) / kChunkHashes;  // chunks before the last one
  shrink(chunks_.empty() ? 0 : full + 1, set.size() - full * kChunkHashes);
  return set;
}

bool HashLog::read(const std::function<bool(std::span<const std::uint64_t>)>& use) const {
  for (std::size_t i = 0; i < parts(); ++i) {
    if (!use(part(i))) return false;
  }
  if (!spilled()) return true;
  const auto done = file_->for_each([&](std::span<const std::uint64_t> hashes) -> Result<void> {
    if (!use(hashes)) return Error{ErrorCode::kCancelled, {}};
    return {};
  });
  if (!done && done.error().code != ErrorCode::kCancelled) fail(done.error());
  return done.has_value();
}

void HashLog::clear() noexcept {
  shrink(0, 0);
  file_.reset();
}

void HashLog::swap(HashLog& other) noexcept {
  std::swap(first_, other.first_);
  std::swap(chunks_, other.chunks_);
  std::swap(file_, other.file_);
  std::swap(next_, other.next_);
  std::swap(end_, other.end_);
}

}  // namespace crivo::plugin
