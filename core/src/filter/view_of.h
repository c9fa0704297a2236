// The View of a filter, for code and tests that call the functions of a kind directly, without FilterRef.
#pragma once

#include "crivo/filter.h"

namespace crivo {

struct ViewOf {
  [[nodiscard]] static const View& filter(const FilterRef& filter) noexcept { return filter.view_; }
};

}  // namespace crivo
