#pragma once

#include <cuda.h>

#include <cstddef>
#include <string>

#include "streams/pending_waits.hpp"

namespace pycuda {

/// Run the hook of set_out_of_memory_hook; false if there is none.
bool run_out_of_memory_hook() noexcept;

/// Makes room for device memory in the current context: pools return their held blocks to the driver. False if they
/// held none.
bool release_held_device_memory() noexcept;

/// Call `attempt`. If memory runs out, call it again after a garbage collection of the language, and once more when
/// what was put off is free.
template <class Attempt>
CUresult with_garbage_collected(Attempt&& attempt) {
    CUresult result = attempt();
    if (result == CUDA_ERROR_OUT_OF_MEMORY && run_out_of_memory_hook()) result = attempt();
    return result == CUDA_ERROR_OUT_OF_MEMORY && PendingWaits::free_now() ? attempt() : result;
}

/// The same for device memory; finally once more after pools have freed their held blocks.
template <class Attempt>
CUresult with_room_made(Attempt&& attempt) {
    const CUresult result = with_garbage_collected(attempt);
    if (result != CUDA_ERROR_OUT_OF_MEMORY || !release_held_device_memory()) return result;
    PendingWaits::free_now();
    return attempt();
}

inline std::string asked_for(std::size_t bytes) {
    return "asked for " + std::to_string(bytes) + " bytes";
}

/// How much device memory is free, and why the driver has none left for `bytes`; empty unless memory ran out.
std::string shortage_text(CUresult result, std::size_t bytes);

}  // namespace pycuda
