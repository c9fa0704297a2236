// Keeping filters that are asked again; see kept_filters.h.
#include "values/kept_filters.h"

#include <algorithm>
#include <new>

#include "crivo/hash.h"

namespace crivo::sqlite {
namespace {

/// The largest raw blob that is not worth keeping: it is read as fast as a kept filter is found.
constexpr std::size_t kSmallRawBytes = 4096;
/// About the bytes that an entry takes beside the payload.
constexpr std::uint64_t kEntryBytes = 512;

std::uint64_t id_of(std::span<const std::byte> blob) noexcept {
  return hash_key({reinterpret_cast<const char*>(blob.data()), kBlobHeaderBytes}, blob.size());
}

}  // namespace

KeptFilter::KeptFilter(std::span<const std::byte> blob, std::span<const std::byte> rest, AnyFilter&& filter)
    : owned(std::move(filter)), blob_bytes(blob.size()), compressed(rest.begin(), rest.end()) {
  std::copy_n(blob.begin(), kBlobHeaderBytes, header.begin());
}

std::uint64_t KeptFilter::bytes() const noexcept {
  return owned.filter.payload().size() + compressed.size() + kEntryBytes;
}

std::shared_ptr<const KeptFilter> KeptFilters::find(std::span<const std::byte> blob, const ReadLimits& limits) {
  ++questions_;
  if (entries_.empty() || blob.size() < kBlobHeaderBytes) return nullptr;
  const auto found = by_id_.find(id_of(blob));
  if (found == by_id_.end()) return nullptr;
  const auto entry = found->second;
  const KeptFilter& kept = *entry->filter;
  const bool same = kept.blob_bytes == blob.size() && std::equal(kept.header.begin(), kept.header.end(), blob.begin());
  if (!same || kept.owned.filter.payload().size() > limits.max_raw_bytes) return nullptr;
  entry->last_used = questions_;
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->filter;
}

// Keeping a filter costs a copy of it. A filter that is seen for the first time therefore leaves only a note that it
// was seen: a scan over a table with a filter in each row would otherwise copy all of them.
void KeptFilters::offer(std::span<const std::byte> blob, OpenedBlob&& opened) noexcept {
  const bool raw = opened.codec() == Codec::kRaw;
  if (raw && blob.size() <= kSmallRawBytes) return;
  const std::uint64_t id = id_of(blob);
  Sight& sight = sights_[id % sights_.size()];
  const bool seen = sight.id == id && sight.time != 0;
  const Sight before = std::exchange(sight, Sight{id, questions_});
  if (!seen || opened.ref().payload().size() > kMaxBytes) return;
  try {
    if (const auto other = by_id_.find(id); other != by_id_.end()) forget(other->second);
    const std::span<const std::byte> rest = blob.subspan(raw ? blob.size() : kBlobHeaderBytes);
    const std::uint64_t bytes = opened.ref().payload().size() + rest.size() + kEntryBytes;
    if (!make_room(bytes, before.time)) return;
    entries_.push_front({id, questions_, std::make_shared<KeptFilter>(blob, rest, std::move(opened).into_filter())});
    try {
      by_id_.emplace(id, entries_.begin());
    } catch (const std::bad_alloc&) {
      entries_.pop_front();
      throw;
    }
    bytes_ += bytes;
  } catch (const std::bad_alloc&) {  // the question is answered already; the filter is not kept, and will be read again
  }
}

/// Makes room by dropping the filters that were used longest ago, but only those that were last used before the new one
/// was last seen. Otherwise, when a few more filters take turns than there is room for, each would drop the next one
/// that is needed, and none would ever be found.
bool KeptFilters::make_room(std::uint64_t bytes, std::uint64_t seen_before) {
  if (bytes > kMaxBytes) return false;
  std::uint64_t left = bytes_;
  auto last = entries_.end();
  while (left + bytes > kMaxBytes) {
    --last;
    if (last->last_used >= seen_before) return false;
    left -= last->filter->bytes();
  }
  while (last != entries_.end()) forget(last++);
  return true;
}

void KeptFilters::forget(std::list<Entry>::iterator entry) {
  bytes_ -= entry->filter->bytes();
  by_id_.erase(entry->id);
  entries_.erase(entry);
}

}  // namespace crivo::sqlite
