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

/// A filter that was decoded, with the compressed blob that it came from.
struct DecodedFilter {
  DecodedFilter(std::span<const std::byte> from, AnyFilter&& filter)
      : blob(from.begin(), from.end()), owned(std::move(filter)) {}
  std::vector<std::byte> blob;
  OwnedFilter owned;
};

}  // namespace crivo::sqlite
