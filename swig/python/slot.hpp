#pragma once

namespace pycuda::python {

/// A function as PyType_Slot holds it.
template <class F>
void* slot(F* function) {
    return reinterpret_cast<void*>(function);
}

}  // namespace pycuda::python
