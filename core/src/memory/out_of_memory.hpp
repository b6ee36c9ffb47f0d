#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

namespace pycuda {

/// Runs the hook of set_out_of_memory_hook; false when there is none.
bool run_out_of_memory_hook() noexcept;

/// Makes room for device memory in the current context: what pools hold goes back to the driver. False when they held
/// nothing.
bool release_held_device_memory() noexcept;

/// Calls `attempt`; when it says that memory is out, again after the language has collected its garbage.
template <class Attempt>
CUresult with_garbage_collected(Attempt&& attempt) {
    const CUresult result = attempt();
    return result == CUDA_ERROR_OUT_OF_MEMORY && run_out_of_memory_hook() ? attempt() : result;
}

/// The same for device memory; at last, once more after pools have given back what they hold.
template <class Attempt>
CUresult with_room_made(Attempt&& attempt) {
    const CUresult result = with_garbage_collected(attempt);
    return result == CUDA_ERROR_OUT_OF_MEMORY && release_held_device_memory() ? attempt() : result;
}

inline std::string asked_for(std::size_t bytes) {
    return "asked for " + std::to_string(bytes) + " bytes";
}

}  // namespace pycuda
