#pragma once

namespace pycuda::python {

/// Hooks that the core needs from Python: how to collect garbage that may hold device memory, how to release the GIL,
/// and how a signal ends a wait.
void connect_to_core() noexcept;

}  // namespace pycuda::python
