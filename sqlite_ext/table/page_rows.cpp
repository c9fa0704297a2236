#include "table/page_rows.h"

#include <cmath>

#include "crivo/hash.h"
#include "crivo/host/bytes.h"

namespace crivo::sqlite {
namespace {

constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kKeysOffset = 8;
constexpr std::size_t kGenerationOffset = 16;
constexpr std::size_t kMaxSpareRows = 16;  // most filters read at most this many pages per key

std::uint64_t checksum(std::int64_t number, std::span<const std::byte> row) noexcept {
  const auto rest = row.subspan(kChecksumBytes);
  const std::string_view bytes(reinterpret_cast<const char*>(rest.data()), rest.size());
  return hash_key(bytes, static_cast<std::uint64_t>(number) + 1);
}

/// The row without trailing zeros.
std::span<const std::byte> without_zeros(std::span<const std::byte> row) noexcept {
  std::size_t size = row.size();
  while (size >= kRowHeaderBytes + 8 && load_le<std::uint64_t>(row.data() + size - 8) == 0) size -= 8;
  while (size > kRowHeaderBytes && row[size - 1] == std::byte{0}) --size;
  return row.first(size);
}

[[noreturn]] void refuse_row(std::int64_t number, const std::string& what) {
  throw HostError{SQLITE_CORRUPT_VTAB, "page " + std::to_string(number) + " in table _pages must " + what};
}

void require_size(std::int64_t number, std::size_t size, std::size_t row_bytes, bool may_be_shorter) {
  if (may_be_shorter ? size >= kRowHeaderBytes && size <= row_bytes : size == row_bytes) return;
  refuse_row(number, "be a blob of " + std::string(may_be_shorter ? "24 to " : "") + std::to_string(row_bytes) +
                         " bytes, got " + std::to_string(size));
}

PageRowMap::node_type spare_node(PageRowMap& spare) {
  if (spare.empty()) spare.try_emplace(0);
  return spare.extract(spare.begin());
}

}  // namespace

void PageRow::clear(std::size_t page_bytes) {
  bytes.assign(kRowHeaderBytes + page_bytes, std::byte{0});
  page = {.bytes = bytes.data() + kRowHeaderBytes};
}

void PageRow::load(std::span<const std::byte> stored, std::int64_t number, const PagedFilter& filter,
                   std::uint64_t page_number) {
  const std::size_t row_bytes = kRowHeaderBytes + filter.bytes_of(page_number);
  require_size(number, stored.size(), row_bytes, filter.grows());
  if (load_le<std::uint64_t>(stored.data()) != checksum(number, stored)) {
    refuse_row(number, "match its checksum");
  }
  bytes.assign(stored.begin(), stored.end());
  bytes.resize(row_bytes);
  page = {.bytes = bytes.data() + kRowHeaderBytes,
          .keys = load_le<std::uint64_t>(bytes.data() + kKeysOffset),
          .generation = load_le<std::uint64_t>(bytes.data() + kGenerationOffset)};
  const std::uint64_t newest = filter.layout().generation;
  if (page.generation > newest) {
    refuse_row(number,
               "be of generation " + std::to_string(newest) + " at most, got " + std::to_string(page.generation));
  }
  if (!filter.is_sound(page_number, page.bytes)) refuse_row(number, "be at its level or below, got a higher one");
}

FilterRef sub_filter(Shape shape, std::span<const std::byte> bytes) {
  shape.units =
      shape.kind == Kind::kSpectral ? bytes.size() * 8 / shape.param : bytes.size() / PagedFilter::granularity(shape);
  return unwrap(FilterRef::open(shape, {.keys = 0, .capacity = 1, .fp_rate = 1}, bytes));
}

bool is_over_full(const PagedFilter& filter, std::uint64_t capacity, std::uint64_t number, const Page& page) {
  constexpr double kDeviations = 6;
  const std::size_t bytes = filter.bytes_of(number);
  const double share =
      static_cast<double>(capacity) * static_cast<double>(bytes) / static_cast<double>(filter.payload_bytes());
  const bool is_exact = filter.pages() == 1 && !filter.counts();
  const double most = is_exact ? share : share + kDeviations * std::sqrt(share);
  if (static_cast<double>(page.keys) <= most) return false;
  if (!filter.counts()) return true;
  // The count includes repeated keys, so only the fill decides.
  const FilterRef part = sub_filter(filter.shape(), {page.bytes, bytes});
  return part.stats().current_fp_rate > part.predicted_fp_rate(most);
}

PageRows::PageRows(ShadowTables& tables, SpareRows& spare, const PagedFilter& filter, std::int64_t first)
    : tables_(tables), spare_(spare), filter_(filter), first_(first) {
  buffer.swap(spare_.buffer);
}

PageRows::~PageRows() {
  buffer.swap(spare_.buffer);
  if (spare_.rows.size() + rows_.size() <= kMaxSpareRows) spare_.rows.merge(rows_);
}

PageRow& PageRows::row(std::uint64_t page) {
  if (last_ != nullptr && page == last_page_) return *last_;
  auto found = rows_.find(page);
  if (found == rows_.end()) {
    PageRowMap::node_type read = spare_node(spare_.rows);
    const std::int64_t number = first_ + static_cast<std::int64_t>(page);
    PageRow& row = read.mapped();
    row.is_changed = false;
    Use use(tables_.page_statement());
    row.is_new = !use.bind(1, number).step();
    if (!row.is_new) row.load(ShadowTables::row_of(use, 0), number, filter_, page);
    read.key() = page;
    found = rows_.insert(std::move(read)).position;
  }
  last_page_ = page;
  last_ = &found->second;
  return *last_;
}

const Page* PageRows::read(std::uint64_t page) {
  const PageRow& row = this->row(page);
  return row.is_new && !row.is_changed ? nullptr : &row.page;
}

Page& PageRows::write(std::uint64_t page) {
  PageRow& row = this->row(page);
  if (row.is_new && !row.is_changed) row.clear(filter_.bytes_of(page));
  row.is_changed = true;
  return row.page;
}

void PageRows::store(std::uint64_t page, PageRow& row) {
  if (!row.is_changed) return;
  store_le(row.bytes.data() + kKeysOffset, row.page.keys);
  store_le(row.bytes.data() + kGenerationOffset, row.page.generation);
  const std::span<const std::byte> stored = filter_.grows() ? without_zeros(row.bytes) : row.bytes;
  const std::int64_t number = first_ + static_cast<std::int64_t>(page);
  store_le(row.bytes.data(), checksum(number, stored));
  tables_.write_page(number, stored, row.is_new);
  row.is_new = false;
  row.is_changed = false;
}

void PageRows::store(std::uint64_t page) { store(page, row(page)); }

void PageRows::store() {
  for (auto& [page, row] : rows_) store(page, row);
}

}  // namespace crivo::sqlite
