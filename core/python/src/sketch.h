// The type crivo._crivo.Sketch, which the module registers.
#pragma once

#include "python.h"

namespace crivo::python {

extern PyType_Spec sketch_spec;

}  // namespace crivo::python
