#pragma once

#include <Python.h>

#include <array>

#include "lifetime.hpp"
#include "pycuda/arrays/texture.hpp"
#include "pycuda/kernels/function.hpp"

/// Python arguments for textures.
namespace pycuda::python {

/// The reference behind a proxy; null for None and other objects. Defined in the generated wrapper, because only that
/// knows the type.
const TextureReference* texture_reference_in(PyObject* object);

/// The texture references of a launch or prepare of `function`, as a tuple; null for none. Each must belong to the
/// function's module (LogicError); PythonError (TypeError) for other objects.
Ref read_texture_references(const Function& function, PyObject* texrefs);

/// LogicError unless something is bound to each of them.
void check_bound(PyObject* references);

/// Four numbers. False with TypeError or ValueError set.
bool color_from_python(PyObject* sequence, std::array<float, 4>& color);

}  // namespace pycuda::python
