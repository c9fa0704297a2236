#include "table/page_rows.h"

#include <algorithm>
#include <bit>

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
  std::vector<std::byte> stored(kRowHeaderBytes + row.payload.size());
  store_value(stored.data() + kKeysOffset, row.keys);
  store_value(stored.data() + kGenerationOffset, row.generation);
  std::ranges::copy(row.payload, stored.begin() + kRowHeaderBytes);
  store_value(stored.data(), checksum(number, stored));
  return stored;
}

void check_row(std::int64_t number, std::span<const std::byte> stored, std::size_t bytes, const Panes& panes) {
  const auto refuse = [number](const std::string& what) {
    throw HostError{SQLITE_CORRUPT_VTAB, "page " + std::to_string(number) + " in table _pages must " + what};
  };
  const std::size_t row_bytes = kRowHeaderBytes + bytes * panes.count;
  if (stored.size() != row_bytes) {
    refuse("be a blob of " + std::to_string(row_bytes) + " bytes, got " + std::to_string(stored.size()));
  }
  if (load(stored.data()) != checksum(number, stored)) refuse("have the checksum of its bytes");
  if (generation_of(stored) > panes.newest) {
    refuse("be of generation " + std::to_string(panes.newest) + " at most, got " +
           std::to_string(generation_of(stored)));
  }
}

std::uint64_t keys_of(std::span<const std::byte> stored) noexcept { return load(stored.data() + kKeysOffset); }

std::uint64_t generation_of(std::span<const std::byte> stored) noexcept {
  return load(stored.data() + kGenerationOffset);
}

std::span<const std::byte> payload_of(std::span<const std::byte> stored) noexcept {
  return stored.subspan(kRowHeaderBytes);
}

std::uint64_t count_bits(std::span<const std::byte> bytes) noexcept {
  std::uint64_t bits = 0;
  for (const std::byte byte : bytes) bits += static_cast<unsigned>(std::popcount(std::to_integer<unsigned char>(byte)));
  return bits;
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
    check_row(number_of(page), row, filter_.bytes_of(page), panes_);
    read_row_ = row;
  }
  return read_row_;
}

const std::byte* PageRows::read(std::uint64_t page) {
  const std::size_t offset = panes_.place(generation_) * filter_.bytes_of(page);
  if (const auto found = changed_.find(page); found != changed_.end()) return found->second.row.payload.data() + offset;
  const std::span<const std::byte> row = stored(page);
  if (row.empty() || generation_of(row) < generation_) return nullptr;
  return payload_of(row).data() + offset;
}

bool PageRows::contain(std::uint64_t hash) {
  for (std::uint64_t kept = panes_.newest - panes_.oldest() + 1; kept-- > 0;) {
    generation_ = panes_.oldest() + kept;
    if (!filter_.may_contain_hash(hash, *this)) continue;
    generation_ = panes_.newest;
    return true;
  }
  generation_ = panes_.newest;
  return false;
}

PageRows::Changed& PageRows::changed(std::uint64_t page) {
  if (const auto found = changed_.find(page); found != changed_.end()) return found->second;
  const std::span<const std::byte> row = stored(page);
  Changed changed{row.empty(), {}};
  if (row.empty()) {
    changed.row = {0, panes_.newest, std::vector<std::byte>(filter_.bytes_of(page) * panes_.count)};
  } else {
    const auto bits = payload_of(row);
    changed.row = {keys_of(row), generation_of(row), {bits.begin(), bits.end()}};
    age(changed.row, filter_.bytes_of(page));
  }
  return changed_.emplace(page, std::move(changed)).first->second;
}

void PageRows::age(PageRow& row, std::size_t bytes) const {
  if (row.generation == panes_.newest) return;
  const std::uint64_t too_old = std::min<std::uint64_t>(panes_.newest - row.generation, panes_.count);
  for (std::uint64_t i = 0; i < too_old; ++i) {
    std::fill_n(row.payload.begin() + static_cast<std::ptrdiff_t>(panes_.place(panes_.newest - i) * bytes), bytes,
                std::byte{0});
  }
  row.generation = panes_.newest;
  row.keys = 0;
}

std::byte* PageRows::write(std::uint64_t page) {
  return changed(page).row.payload.data() + panes_.place(generation_) * filter_.bytes_of(page);
}

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

std::size_t PageRows::changed_bytes() const noexcept {
  return changed_.empty() ? 0 : changed_.size() * changed_.begin()->second.row.payload.size();
}

void PageRows::store() {
  reading_.reset();
  for (const auto& [page, change] : changed_) {
    tables_.write_page(number_of(page), encode_row(number_of(page), change.row), change.is_new);
  }
  changed_.clear();
}

}  // namespace crivo::sqlite
