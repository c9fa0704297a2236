#include "table/page_rows.h"

#include <algorithm>
#include <cmath>

#include "crivo/hash.h"
#include "crivo/host/bytes.h"

namespace crivo::sqlite {
namespace {

constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kKeysOffset = 8;
constexpr std::size_t kGenerationOffset = 16;
constexpr std::size_t kMostSpareRows = 16;  // as many as a key of most filters has positions

std::uint64_t checksum(std::int64_t number, std::span<const std::byte> row) noexcept {
  const auto rest = row.subspan(kChecksumBytes);
  const std::string_view bytes(reinterpret_cast<const char*>(rest.data()), rest.size());
  return hash_key(bytes, static_cast<std::uint64_t>(number) + 1);
}

/// Drops the zeros at a row's end.
void drop_zeros(std::vector<std::byte>& row) {
  std::size_t size = row.size();
  while (size >= kRowHeaderBytes + 8 && load_le<std::uint64_t>(row.data() + size - 8) == 0) size -= 8;
  while (size > kRowHeaderBytes && row[size - 1] == std::byte{0}) --size;
  row.resize(size);
}

[[noreturn]] void refuse_row(std::int64_t number, const std::string& what) {
  throw HostError{SQLITE_CORRUPT_VTAB, "page " + std::to_string(number) + " in table _pages must " + what};
}

}  // namespace

void refuse_level(std::int64_t number) { refuse_row(number, "be at its level or below, got a higher one"); }

std::vector<std::byte> whole_page(const PagedFilter& filter, std::uint64_t page, std::span<const std::byte> row) {
  const std::span<const std::byte> stored = payload_of(row);
  std::vector<std::byte> whole(stored.begin(), stored.end());
  whole.resize(filter.bytes_of(page));
  return whole;
}

void check_row(std::int64_t number, std::span<const std::byte> row, std::size_t bytes, const Panes& panes,
               bool may_be_shorter) {
  const auto refuse = [number](const std::string& what) { refuse_row(number, what); };
  const std::size_t row_bytes = kRowHeaderBytes + bytes * panes.count;
  if (may_be_shorter ? row.size() < kRowHeaderBytes || row.size() > row_bytes : row.size() != row_bytes) {
    refuse("be a blob of " + std::string(may_be_shorter ? "24 to " : "") + std::to_string(row_bytes) + " bytes, got " +
           std::to_string(row.size()));
  }
  if (load_le<std::uint64_t>(row.data()) != checksum(number, row)) refuse("have the checksum of its bytes");
  if (generation_of(row) > panes.newest) {
    refuse("be of generation " + std::to_string(panes.newest) + " at most, got " + std::to_string(generation_of(row)));
  }
}

std::uint64_t keys_of(std::span<const std::byte> row) noexcept {
  return load_le<std::uint64_t>(row.data() + kKeysOffset);
}
std::uint64_t generation_of(std::span<const std::byte> row) noexcept {
  return load_le<std::uint64_t>(row.data() + kGenerationOffset);
}
std::span<const std::byte> payload_of(std::span<const std::byte> row) noexcept { return row.subspan(kRowHeaderBytes); }

FilterRef page_filter(const PagedFilter& filter, std::span<const std::byte> page) {
  Shape shape = filter.shape();
  shape.units =
      shape.kind == Kind::kSpectral ? page.size() * 8 / shape.param : page.size() / PagedFilter::granularity(shape);
  return unwrap(FilterRef::open(shape, {.keys = 0, .capacity = 1, .fp_rate = 1}, page));
}

bool is_over_full(const PagedFilter& filter, std::uint64_t capacity, std::uint64_t keys,
                  std::span<const std::byte> page) {
  constexpr double kDeviations = 6;
  const double share =
      static_cast<double>(capacity) * static_cast<double>(page.size()) / static_cast<double>(filter.payload_bytes());
  const bool is_exact = filter.pages() == 1 && !filter.counts();
  const double most = is_exact ? share : share + kDeviations * std::sqrt(share);
  if (static_cast<double>(keys) <= most) return false;
  if (!filter.counts()) return true;
  const FilterRef part = page_filter(filter, page);  // repeated keys are counted, too, so that only the fill tells
  return part.stats().current_fp_rate > part.predicted_fp_rate(most);
}

KeptRow& SpareRows::give(KeptRows& kept, std::uint64_t page) {
  if (rows.empty()) return kept[page];
  KeptRows::node_type spare = rows.extract(rows.begin());
  spare.key() = page;
  return kept.insert(std::move(spare)).position->second;
}

void SpareRows::take(KeptRows& kept) noexcept {
  if (rows.size() + kept.size() <= kMostSpareRows) rows.merge(kept);
  kept.clear();
}

PageRows::PageRows(ShadowTables& tables, SpareRows& spare, std::int64_t first, const Panes& panes)
    : panes_(panes), generation_(panes.newest), tables_(tables), spare_(spare), first_(first) {
  room.swap(spare_.room);
}

PageRows::~PageRows() {
  room.swap(spare_.room);
  spare_.take(kept_);
}

std::span<const std::byte> PageRows::row(std::uint64_t page) {
  if (page == page_) return row_;
  release();
  if (const auto found = kept_.find(page); found != kept_.end()) {
    kept_row_ = &found->second;
    row_ = kept_row_->bytes;
    page_ = page;
    return row_;
  }
  reading_.emplace(tables_.page_statement());
  row_ = {};
  if (reading_->bind(1, number_of(page)).step()) {
    const std::span<const std::byte> stored = ShadowTables::row_of(*reading_, 0);
    check_row(number_of(page), stored, bytes_of(page), panes_, may_be_shorter());
    row_ = stored;
  }
  page_ = page;
  const bool is_shorter = !row_.empty() && row_.size() < kRowHeaderBytes + bytes_of(page) * panes_.count;
  if (keeps_read_ || is_shorter) keep();
  if (is_shorter) {
    kept_row_->bytes.resize(kRowHeaderBytes + bytes_of(page) * panes_.count);
    row_ = kept_row_->bytes;
  }
  if (!row_.empty()) check_page(page, row_.data() + kRowHeaderBytes);
  return row_;
}

void PageRows::keep() {
  KeptRow& kept = spare_.give(kept_, page_);
  kept.is_new = row_.empty();
  kept.is_changed = false;
  kept.bytes.assign(row_.begin(), row_.end());
  reading_.reset();
  kept_row_ = &kept;
  row_ = kept.bytes;
}

std::span<std::byte> PageRows::changed(std::uint64_t page) {
  (void)row(page);
  if (kept_row_ == nullptr) keep();
  if (!kept_row_->is_changed) {
    const std::size_t bytes = bytes_of(page);
    kept_row_->bytes.resize(kRowHeaderBytes + bytes * panes_.count);
    age(kept_row_->bytes, bytes);
    kept_row_->is_changed = true;
    row_ = kept_row_->bytes;
  }
  return kept_row_->bytes;
}

void PageRows::age(std::span<std::byte> row, std::size_t bytes) const {
  const std::uint64_t generation = generation_of(row);
  if (generation == panes_.newest) return;
  const std::uint64_t too_old = std::min<std::uint64_t>(panes_.newest - generation, panes_.count);
  for (std::uint64_t i = 0; i < too_old; ++i) {
    std::ranges::fill(row.subspan(kRowHeaderBytes + panes_.place(panes_.newest - i) * bytes, bytes), std::byte{0});
  }
  store_le(row.data() + kGenerationOffset, panes_.newest);
  store_le(row.data() + kKeysOffset, std::uint64_t{0});
}

const std::byte* PageRows::read(std::uint64_t page) {
  const std::span<const std::byte> row = this->row(page);
  return row.empty() || generation_of(row) < generation_ ? nullptr : row.data() + offset(page);
}

std::byte* PageRows::write(std::uint64_t page) { return changed(page).data() + offset(page); }

std::uint64_t PageRows::keys(std::uint64_t page) {
  const std::span<const std::byte> row = this->row(page);
  return row.empty() ? 0 : keys_of(row);
}

void PageRows::count_keys(std::uint64_t page, std::int64_t difference) {
  const std::span<std::byte> row = changed(page);
  store_le(row.data() + kKeysOffset, keys_of(row) + static_cast<std::uint64_t>(difference));
}

std::size_t PageRows::kept_bytes() const noexcept {
  return kept_.size() * (kRowHeaderBytes + bytes_of(0) * panes_.count);
}

void PageRows::release() {
  page_ = kNoPage;
  kept_row_ = nullptr;
  reading_.reset();
}

void PageRows::store() {
  release();
  for (auto& [page, kept] : kept_) {
    if (!kept.is_changed) continue;
    if (may_be_shorter()) drop_zeros(kept.bytes);
    store_le(kept.bytes.data(), checksum(number_of(page), kept.bytes));
    tables_.write_page(number_of(page), kept.bytes, kept.is_new);
  }
  spare_.take(kept_);
}

bool FilterRows::contain(std::uint64_t hash) {
  for (std::uint64_t kept = panes_.newest - panes_.oldest() + 1; kept-- > 0;) {
    generation_ = panes_.oldest() + kept;
    if (!filter_.may_contain_hash(hash, *this)) continue;
    generation_ = panes_.newest;
    return true;
  }
  generation_ = panes_.newest;
  return false;
}

bool FilterRows::add(std::uint64_t hash, bool only_if_absent) {
  keeps_read_ = filter_.shape().kind == Kind::kSpectral;
  catch_up(hash);
  const bool is_new = unwrap(filter_.add_hash(hash, *this, only_if_absent));
  if (is_new || (filter_.counts() && !only_if_absent)) count_keys(filter_.page_of(hash), 1);
  return is_new;
}

Result<std::uint64_t> FilterRows::remove(std::uint64_t hash) {
  catch_up(hash);
  Result<std::uint64_t> before = filter_.remove_hash(hash, *this);
  const std::uint64_t page = filter_.page_of(hash);
  if (before.has_value() && keys(page) != 0) count_keys(page, -1);
  return before;
}

void FilterRows::write_half(std::uint64_t page, std::uint64_t from) {
  const std::uint64_t keys = filter_.write_half(page, from, *this);
  count_keys(page, static_cast<std::int64_t>(keys - this->keys(page)));
}

// Before the page is changed, so that its number of keys is right.
void FilterRows::catch_up(std::uint64_t hash) {
  if (!filter_.grows()) return;
  const std::uint64_t page = filter_.page_of(hash);
  const std::byte* bytes = read(page);
  if (bytes != nullptr && filter_.is_behind(page, bytes)) write_half(page, page);
}

void FilterRows::check_page(std::uint64_t page, const std::byte* bytes) const {
  if (!filter_.is_sound(page, bytes)) refuse_level(number_of(page));
}

}  // namespace crivo::sqlite
