// Queries the filter in a function's first argument. Avoids decoding the same filter again for each row.
//
// SQLite preserves the auxiliary data of an argument from row to row only if the argument is constant in the statement
// (a literal, a bound parameter). For any other argument (a column, a scalar subquery), SQLite discards the data at
// once. So the first call sets a marker as the auxiliary data, and borrows the filter. A later call that finds the
// marker replaces the marker with a copy of the filter.
//
// For an argument that is not constant, SQLite copies the value for each row. Validating a blob takes about as long as
// SQLite's copy, and decompressing a blob about twenty times as long. So the connection caches one filter: a raw filter
// (codec kRaw) that was decoded twice in a row, or the most recently decoded filter with another codec. (If one
// decoding of a raw filter were enough, a scan over rows with a filter each would copy every filter.) A blob matches
// the cached filter if all bytes are equal, or, for a raw blob, if the headers are equal: they contain the payload's
// checksum. Two crafted blobs can have the same header. So a query of a matching raw blob runs on the cached filter and
// on the given payload; if the two answers differ, the blob is decoded in full.
#pragma once

#include <memory>
#include <optional>

#include "values/filter_argument.h"

namespace crivo::sqlite {

inline constexpr const char* kPointerType = "crivo filter";

/// The answer to a query; no value stands for NULL.
using Answer = std::optional<std::int64_t>;

/// The filter in argument 0, from bloom_open or from the auxiliary data. Replaces a marker in the auxiliary data with
/// the decoded filter. Null if the caller must decode the filter, or if the argument is NULL.
[[nodiscard]] const OwnedFilter* ready_filter(const Call& call);

/// The filter that bloom_open stored in a value; null if the value is not from bloom_open.
[[nodiscard]] const OwnedFilter* opened_filter(sqlite3_value* value);

/// The cached filter if it may belong to this blob; else null. Ownership is shared, because a query may run a statement
/// that replaces the cached filter.
[[nodiscard]] std::shared_ptr<const CachedFilter> cached_filter(const Connection& connection,
                                                                const FilterArgument& given);
/// Caches a queried filter, unless its payload is too large. Caches a raw filter only if its payload is not too small,
/// and the raw blob that was decoded before had the same header.
void cache_filter(Connection& connection, std::span<const std::byte> blob, OpenedBlob&& opened);

/// The result of `query(const FilterRef&)` for the filter in argument 0; no value if argument 0 is NULL.
template <class Query>
[[nodiscard]] Answer answer_of(const Call& call, const Query& query) {
  if (const OwnedFilter* const ready = ready_filter(call)) return query(ready->ref);
  if (call.is_null(0)) return {};
  const FilterArgument given(call, 0);
  if (const auto cached = cached_filter(call.connection(), given)) {
    const FilterRef& ref = cached->owned.ref;
    if (cached->blob_prefix.size() == given.bytes.size()) return query(ref);
    if (const auto same = FilterRef::open(ref.shape(), ref.facts(), given.bytes.subspan(kBlobHeaderBytes))) {
      if (const Answer answer = query(*same); answer == query(ref)) return answer;
    }
  }
  OpenedBlob opened = given.open();
  const Answer answer = query(opened.ref());
  cache_filter(call.connection(), given.bytes, std::move(opened));
  return answer;
}

/// Sets the answer as the call's result.
template <class Query>
void query_filter(const Call& call, const Query& query) {
  if (const Answer answer = answer_of(call, query)) set_value(call.context, *answer);
}

}  // namespace crivo::sqlite
