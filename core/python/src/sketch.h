// The type crivo._crivo.Sketch, for the module that has it.
#pragma once

#include "python.h"

namespace crivo::python {

extern PyType_Spec sketch_spec;

}  // namespace crivo::python
