// The rows of all kinds; each is defined in the file named after its kind.
#pragma once

#include "kinds/kind.h"

namespace crivo {

extern const KindRow kBlocked, kClassic, kCounting, kCuckoo, kExact, kGrowing, kHashCompaction, kMap, kRange, kRibbon,
    kScalable, kSpectral, kWindow;

}  // namespace crivo
