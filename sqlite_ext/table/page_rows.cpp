#include "table/page_rows.h"

#include <algorithm>

#include "crivo/hash.h"

namespace crivo::sqlite {
namespace {

constexpr std::size_t kChecksumBytes = 8;
constexpr std::size_t kKeysOffset = 8;
constexpr std::size_t kGenerationOffset = 16;

std::uint64_t load(const std::byte* from) noexcept {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= std::to_integer<std::uint64_t>(from[i]) << (8 * i);
  return value;
}

void store_value(std::byte* to, std::uint64_t value) noexcept {
  for (unsigned i = 0; i < 8; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}

std::uint64_t checksum(std::int64_t number, std::span<const std::byte> row) noexcept {
  const auto rest = row.subspan(kChecksumBytes);
  const std::string_view bytes(reinterpret_cast<const char*>(rest.data()), rest.size());
  return hash_key(bytes, static_cast<std::uint64_t>(number) + 1);
}

}  // namespace

std::vector<std::byte> encode_row(std::int64_t number, const PageRow& row) {
  std::vector<std::byte> stored(kRowHeaderBytes + row.page.size());
  store_value(stored.data() + kKeysOffset, row.keys);
  store_value(stored.data() + kGenerationOffset, row.generation);
  std::ranges::copy(row.page, stored.begin() + kRowHeaderBytes);
  store_value(stored.data(), checksum(number, stored));
  return stored;
}

void check_row(std::int64_t number, std::span<const std::byte> stored, std::size_t bytes) {
  const auto refuse = [number](const std::string& what) {
    throw HostError{SQLITE_CORRUPT_VTAB, "page " + std::to_string(number) + " in table _pages must " + what};
  };
  if (stored.size() != kRowHeaderBytes + bytes) {
    refuse("be a blob of " + std::to_string(kRowHeaderBytes + bytes) + " bytes, got " + std::to_string(stored.size()));
  }
  if (load(stored.data()) != checksum(number, stored)) refuse("have the checksum of its bytes");
}

std::uint64_t keys_of(std::span<const std::byte> stored) noexcept { return load(stored.data() + kKeysOffset); }

std::span<const std::byte> page_of(std::span<const std::byte> stored) noexcept {
  return stored.subspan(kRowHeaderBytes);
}

std::span<const std::byte> PageRows::stored(std::uint64_t page) {
  if (reading_ && reading_page_ == page) return read_row_;
  reading_.reset();
  reading_.emplace(tables_.page_statement());
  reading_page_ = page;
  read_row_ = {};
  reading_->bind(1, number_of(page));
  if (reading_->step()) {
    const std::span<const std::byte> row = ShadowTables::row_of(*reading_, 0);
    check_row(number_of(page), row, filter_.bytes_of(page));
    read_row_ = row;
  }
  return read_row_;
}

const std::byte* PageRows::read(std::uint64_t page) {
  if (const auto found = changed_.find(page); found != changed_.end()) return found->second.row.page.data();
  const std::span<const std::byte> row = stored(page);
  return row.empty() ? nullptr : page_of(row).data();
}

PageRows::Changed& PageRows::changed(std::uint64_t page) {
  if (const auto found = changed_.find(page); found != changed_.end()) return found->second;
  const std::span<const std::byte> row = stored(page);
  Changed changed{row.empty(), {}};
  if (row.empty()) {
    changed.row.page.resize(filter_.bytes_of(page));
  } else {
    const auto bits = page_of(row);
    changed.row = {keys_of(row), load(row.data() + kGenerationOffset), {bits.begin(), bits.end()}};
  }
  return changed_.emplace(page, std::move(changed)).first->second;
}

std::byte* PageRows::write(std::uint64_t page) { return changed(page).row.page.data(); }

std::uint64_t PageRows::keys(std::uint64_t page) {
  if (const auto found = changed_.find(page); found != changed_.end()) return found->second.row.keys;
  const std::span<const std::byte> row = stored(page);
  return row.empty() ? 0 : keys_of(row);
}

void PageRows::count_keys(std::uint64_t page, std::int64_t difference) {
  std::uint64_t& keys = changed(page).row.keys;
  if (difference < 0 && keys < static_cast<std::uint64_t>(-difference)) {
    keys = 0;
  } else {
    keys += static_cast<std::uint64_t>(difference);
  }
}

void PageRows::store() {
  reading_.reset();
  for (const auto& [page, change] : changed_) {
    tables_.write_page(number_of(page), encode_row(number_of(page), change.row), change.is_new);
  }
  changed_.clear();
}

}  // namespace crivo::sqlite
