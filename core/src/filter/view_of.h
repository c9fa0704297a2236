// What the functions of a kind get of a filter, for the rooms and the tests that call them past FilterRef.
#pragma once

#include "crivo/filter.h"

namespace crivo {

struct ViewOf {
  [[nodiscard]] static const View& filter(const FilterRef& filter) noexcept { return filter.view_; }
};

}  // namespace crivo
