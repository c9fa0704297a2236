// The caches of one database connection. They only save time: no answer of an intact filter depends on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "crivo/filter.h"
#include "crivo/host/planned_sizes.h"

namespace crivo::sqlite {

/// A filter that owns its payload, with a reference for queries.
struct OwnedFilter {
  explicit OwnedFilter(AnyFilter&& owned) : filter(std::move(owned)), ref(filter.ref()) {}
  OwnedFilter(const OwnedFilter&) = delete;
  OwnedFilter& operator=(const OwnedFilter&) = delete;
  AnyFilter filter;
  FilterRef ref;
};

/// A cached filter, and the bytes that identify its blob.
struct KeptFilter {
  KeptFilter(std::span<const std::byte> known, std::size_t size, AnyFilter&& filter)
      : start(known.begin(), known.end()), blob_bytes(size), owned(std::move(filter)) {}
  std::vector<std::byte> start;  // the header of a raw blob; all bytes of any other
  std::size_t blob_bytes;
  OwnedFilter owned;
};

/// Lives as long as the functions are registered with the connection. Not thread-safe, like the connection.
struct Connection {
  std::shared_ptr<const KeptFilter> kept;  // the cached filter (functions/ask.h)
  std::uint64_t asked_last = 0;            // the hash of the header of the last raw filter that was decoded
  PlannedSizes sizes;                      // for bloom_agg, which may build a filter for each of many groups

  /// True while a function reads a filter table.
  bool reads_table = false;
};

}  // namespace crivo::sqlite
