// The groups of a payload that is being created or enlarged.
#pragma once

#include <cstdint>

#include "crivo/memory.h"
#include "kinds/growing/editor.h"
#include "kinds/paging.h"

namespace crivo {

/// Paging of this kind (pages.cpp).
extern const Paging kGroupPaging;

/// Puts the cells that come with a group into the free list.
void free_cells_of(const Shape& shape, AlignedBytes& payload, std::uint64_t group) noexcept;
/// Makes all groups of a zeroed payload empty.
void start_groups(const Shape& shape, AlignedBytes& payload) noexcept;
/// Fills an empty group.
void fill_group(const Shape& shape, AlignedBytes& payload, std::uint64_t group, const SlotList& slots) noexcept;

}  // namespace crivo
