#pragma once

namespace pycuda {

/// To be called once, before the others. False if this system cannot do it.
bool prepare_process_barrier() noexcept;

/// A full memory barrier on all processors that run a thread of this process.
void process_barrier() noexcept;

}  // namespace pycuda
