#pragma once

#include <Python.h>

namespace pycuda::python {

/// A function in the form that PyType_Slot needs.
template <class F>
void* slot(F* function) {
    return reinterpret_cast<void*>(function);
}

/// A function with the parameters of its METH_ flags in the form that PyMethodDef needs.
template <class F>
PyCFunction method(F* function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace pycuda::python
