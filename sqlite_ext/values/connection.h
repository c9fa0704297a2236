// What one database connection keeps from call to call. It saves time; no answer of a whole filter depends on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "crivo/filter.h"
#include "crivo/host/planned_sizes.h"

namespace crivo::sqlite {

/// A filter that owns its payload and is ready to be asked.
struct OwnedFilter {
  explicit OwnedFilter(AnyFilter&& owned) : filter(std::move(owned)), ref(filter.ref()) {}
  OwnedFilter(const OwnedFilter&) = delete;
  OwnedFilter& operator=(const OwnedFilter&) = delete;
  AnyFilter filter;
  FilterRef ref;
};

/// A filter that was read, with what tells its blob from others.
struct KeptFilter {
  KeptFilter(std::span<const std::byte> known, std::size_t size, AnyFilter&& filter)
      : start(known.begin(), known.end()), blob_bytes(size), owned(std::move(filter)) {}
  std::vector<std::byte> start;  // of a raw blob the header, and else all of it
  std::size_t blob_bytes;
  OwnedFilter owned;
};

/// Lives as long as the functions are registered with the connection. One thread at a time uses it, as is true of the
/// connection.
struct Connection {
  std::shared_ptr<const KeptFilter> kept;  // of the filters that were asked (functions/ask.h)
  std::uint64_t asked_last = 0;            // the hash of the header of the raw filter that was read last
  PlannedSizes sizes;                      // for bloom_agg, which may make a filter for each of many groups

  /// True while a function reads a filter table.
  bool reads_table = false;
};

}  // namespace crivo::sqlite
