// Filters and sketches as arguments and results of SQL functions, within SQLite's limit on the size of a value.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "crivo/blob.h"
#include "crivo/describe.h"
#include "crivo/filter.h"
#include "crivo/sketch.h"
#include "values/call.h"

namespace crivo::sqlite {

/// The largest payload, in bytes, for which the blob with its header fits SQLITE_LIMIT_LENGTH.
[[nodiscard]] std::uint64_t max_payload_bytes(sqlite3* db);
/// Throws SqlError if the payload would be larger than max_bytes.
void require_payload_fits(std::uint64_t bytes, std::uint64_t max_bytes);

/// Decodes a blob as a filter or a sketch. Throws SqlError for anything else.
[[nodiscard]] std::variant<OpenedBlob, Sketch> open_stored(std::span<const std::byte> blob, const ReadLimits& limits);

/// An argument that must be a filter or a sketch. All functions read these through this type. Borrows the value.
struct FilterArgument {
  /// Throws SqlError unless the value is a BLOB. Errors give the argument's `position`, from 1.
  FilterArgument(sqlite3* db, sqlite3_value* value, std::size_t position);
  /// The argument of a function (Call) or of a table-valued function (TableCall).
  FilterArgument(const auto& call, std::size_t arg) : FilterArgument(call.db(), call.args[arg], arg + 1) {}
  /// Decodes and validates the filter. A raw payload is borrowed, not copied. Throws SqlError.
  [[nodiscard]] OpenedBlob open() const { return unwrap(parse_blob(bytes, limits)); }
  /// The facts about the filter or sketch. Throws SqlError for anything else.
  [[nodiscard]] std::vector<Description> describe() const;
  std::span<const std::byte> bytes;
  ReadLimits limits;
};
[[nodiscard]] OpenedBlob open_filter(const auto& call, std::size_t arg) { return FilterArgument(call, arg).open(); }

void set_result(const Call& call, const FilterRef& filter, BlobForm form = BlobForm::kAuto,
                int level = kDefaultCompressionLevel);

}  // namespace crivo::sqlite
