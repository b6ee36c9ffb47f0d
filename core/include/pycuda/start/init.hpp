#pragma once

namespace pycuda {

/// Open the driver that PYCUDA_DRIVER selects and initialise it (cuInit). Idempotent, thread-safe.
/// - `cuda`: the real driver, or RuntimeError that names what is missing;
/// - `cpu`: the CPU device;
/// - `auto` or unset: the real driver if it initialises with at least one device, else the CPU device and one notice.
/// A failed init changes nothing: the next call tries again. Raises LogicError for an unknown PYCUDA_DRIVER.
void init(unsigned flags = 0);

}  // namespace pycuda
