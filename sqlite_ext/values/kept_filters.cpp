// Keeping filters that are asked again; see kept_filters.h.
#include "values/kept_filters.h"

#include <algorithm>
#include <new>

#include "crivo/hash.h"

namespace crivo::sqlite {
namespace {

/// The largest raw blob that is not worth keeping.
constexpr std::size_t kSmallRawBytes = 4096;
/// About the bytes that an entry takes beside the payload.
constexpr std::uint64_t kEntryBytes = 512;

std::uint64_t id_of(std::span<const std::byte> header, std::size_t blob_bytes) noexcept {
  return hash_key({reinterpret_cast<const char*>(header.data()), kBlobHeaderBytes}, blob_bytes);
}

/// True for a blob that is read as fast as a kept filter is found.
bool is_small(bool raw, std::size_t blob_bytes) noexcept { return raw && blob_bytes <= kSmallRawBytes; }

}  // namespace

KeptFilter::KeptFilter(std::span<const std::byte> blob, std::span<const std::byte> rest, AnyFilter&& filter)
    : owned(std::move(filter)), blob_bytes(blob.size()), compressed(rest.begin(), rest.end()) {
  std::copy_n(blob.begin(), kBlobHeaderBytes, header.begin());
}

std::uint64_t KeptFilter::bytes() const noexcept {
  return owned.filter.payload().size() + compressed.size() + kEntryBytes;
}

std::shared_ptr<const KeptFilter> KeptFilters::find(std::span<const std::byte> header, std::size_t blob_bytes,
                                                    const ReadLimits& limits) {
  ++questions_;
  if (entries_.empty() || header.size() < kBlobHeaderBytes) return nullptr;
  const auto found = by_id_.find(id_of(header, blob_bytes));
  if (found == by_id_.end()) return nullptr;
  const auto entry = found->second;
  const KeptFilter& kept = *entry->filter;
  const bool same = kept.blob_bytes == blob_bytes && std::ranges::equal(kept.header, header);
  if (!same || kept.owned.filter.payload().size() > limits.max_bytes) return nullptr;
  entry->last_used = questions_;
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->filter;
}

// Keeping a filter costs a copy of it. A filter that is seen for the first time therefore leaves only a note that it
// was seen: a scan over a table with a filter in each row would otherwise copy all of them.
void KeptFilters::offer(std::span<const std::byte> blob, OpenedBlob&& opened) noexcept {
  const bool raw = opened.codec() == Codec::kRaw;
  if (is_small(raw, blob.size())) return;
  const std::uint64_t id = id_of(blob.first(kBlobHeaderBytes), blob.size());
  const std::optional<std::uint64_t> seen_before = note_sight(id);
  if (!seen_before || opened.ref().payload().size() > kMaxBytes) return;
  try {
    const std::span<const std::byte> rest = blob.subspan(raw ? blob.size() : kBlobHeaderBytes);
    if (!make_room(id, opened.ref().payload().size() + rest.size() + kEntryBytes, *seen_before)) return;
    insert(id, std::make_shared<KeptFilter>(blob, rest, std::move(opened).into_filter()));
  } catch (const std::bad_alloc&) {  // the question is answered already; the filter is not kept, and will be read again
  }
}

void KeptFilters::offer(const std::shared_ptr<const KeptFilter>& filter) noexcept {
  if (is_small(filter->compressed.empty(), filter->blob_bytes)) return;
  const std::uint64_t id = id_of(filter->header, filter->blob_bytes);
  const std::optional<std::uint64_t> seen_before = note_sight(id);
  if (!seen_before) return;
  try {
    if (make_room(id, filter->bytes(), *seen_before)) insert(id, filter);
  } catch (const std::bad_alloc&) {
  }
}

std::optional<std::uint64_t> KeptFilters::note_sight(std::uint64_t id) noexcept {
  Sight& sight = sights_[id % sights_.size()];
  const Sight before = std::exchange(sight, Sight{id, questions_});
  return before.id == id && before.time != 0 ? std::optional(before.time) : std::nullopt;
}

void KeptFilters::insert(std::uint64_t id, std::shared_ptr<const KeptFilter> filter) {
  const std::uint64_t bytes = filter->bytes();
  entries_.push_front({id, questions_, std::move(filter)});
  try {
    by_id_.emplace(id, entries_.begin());
  } catch (const std::bad_alloc&) {
    entries_.pop_front();
    throw;
  }
  bytes_ += bytes;
}

/// Makes room by dropping the filters that were used longest ago, but only those that were last used before the new one
/// was last seen. Otherwise, when a few more filters take turns than there is room for, each would drop the next one
/// that is needed, and none would ever be found.
bool KeptFilters::make_room(std::uint64_t id, std::uint64_t bytes, std::uint64_t seen_before) {
  if (const auto other = by_id_.find(id); other != by_id_.end()) forget(other->second);
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
