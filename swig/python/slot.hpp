#pragma once

namespace pycuda::python {

/// A function in the form that PyType_Slot needs.
template <class F>
void* slot(F* function) {
    return reinterpret_cast<void*>(function);
}

}  // namespace pycuda::python
