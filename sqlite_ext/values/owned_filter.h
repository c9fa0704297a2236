// A filter that owns its payload and is ready to be asked.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "crivo/filter.h"

namespace crivo::sqlite {

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

}  // namespace crivo::sqlite
