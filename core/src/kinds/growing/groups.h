// The groups of a payload that is being made or enlarged.
#pragma once

#include <cstdint>

#include "crivo/memory.h"
#include "kinds/growing/editor.h"
#include "kinds/paging.h"

namespace crivo {

/// The kind's functions for pages (pages.cpp).
extern const Paging kGroupPaging;

/// Frees the cells that come with a group.
void free_cells_of(const Shape& shape, AlignedBytes& payload, std::uint64_t group) noexcept;
/// Makes all groups of a payload of zeros, without an entry.
void start_groups(const Shape& shape, AlignedBytes& payload) noexcept;
/// Fills a group that is empty.
void fill_group(const Shape& shape, AlignedBytes& payload, std::uint64_t group, const SlotList& slots) noexcept;

}  // namespace crivo
