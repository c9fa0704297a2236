#include "values/filter_argument.h"

#include <algorithm>

namespace crivo::sqlite {

std::uint64_t max_payload_bytes(sqlite3* db) {
  const int limit = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1);
  return static_cast<std::uint64_t>(limit) -
         std::min(static_cast<std::uint64_t>(limit), std::uint64_t{kBlobHeaderBytes});
}

void require_payload_fits(std::uint64_t bytes, std::uint64_t max_bytes) {
  if (bytes <= max_bytes) return;
  throw SqlError{"payload must fit SQLITE_LIMIT_LENGTH, which leaves " + std::to_string(max_bytes) + " bytes, got " +
                 std::to_string(bytes)};
}

std::variant<OpenedBlob, Sketch> open_stored(std::span<const std::byte> blob, const ReadLimits& limits) {
  if (Sketch::is_sketch(blob)) return unwrap(Sketch::parse(blob, limits));
  return unwrap(parse_blob(blob, limits));
}

FilterArgument::FilterArgument(sqlite3* db, sqlite3_value* value, std::size_t position)
    : limits{.max_bytes = max_payload_bytes(db)} {
  if (sqlite3_value_type(value) != SQLITE_BLOB) {
    // A TEXT is often the name of a filter table.
    const bool is_name = sqlite3_value_type(value) == SQLITE_TEXT;
    throw SqlError{"argument " + std::to_string(position) + " must be a filter, got " + shown(value) +
                   (is_name ? " (query a filter table with WHERE key = ..., bloom_table_info or bloom_snapshot)" : "")};
  }
  bytes = blob_of(value);
}

// Saturates integers, because SQLite reads a JSON integer above 2^63 - 1 as a REAL.
std::vector<Description> FilterArgument::describe() const {
  std::vector<Description> described =
      std::visit([](const auto& stored) { return crivo::describe(stored); }, open_stored(bytes, limits));
  for (Description& each : described) {
    if (const auto* count = std::get_if<std::uint64_t>(&each.value)) each.value = saturated(*count);
  }
  return described;
}

void set_result(const Call& call, const FilterRef& filter, BlobForm form, int level) {
  const std::vector<std::byte> blob = unwrap(to_blob(filter, form, level));
  const int limit = sqlite3_limit(call.db(), SQLITE_LIMIT_LENGTH, -1);
  if (blob.size() > static_cast<std::size_t>(limit)) {
    throw SqlError{"result must fit SQLITE_LIMIT_LENGTH, " + std::to_string(limit) + " bytes, got " +
                   std::to_string(blob.size())};
  }
  set_value(call.context, blob);
}

}  // namespace crivo::sqlite
