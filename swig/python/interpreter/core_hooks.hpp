#pragma once

namespace pycuda::python {

/// Tells the core what Python is: how garbage that may hold device memory is collected, which lock nothing may wait
/// under, and how a signal ends a wait.
void connect_to_core() noexcept;

}  // namespace pycuda::python
