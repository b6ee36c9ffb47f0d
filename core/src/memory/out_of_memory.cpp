#include "memory/out_of_memory.hpp"

#include "driver/driver_table.hpp"
#include "pycuda/driver/driver.hpp"

namespace pycuda {

std::string shortage_text(CUresult result, std::size_t bytes) {
    std::size_t free = 0, total = 0;
    if (result != CUDA_ERROR_OUT_OF_MEMORY || driver().cuMemGetInfo.try_call(&free, &total) != CUDA_SUCCESS) return {};
    const std::string text = "; " + std::to_string(free) + " of " + std::to_string(total) + " bytes are free";
    if (free < bytes) return text;
    return text + (driver_info().is_cpu_device
                       ? ", but the system gives this process no more memory: see ulimit -v, and the container's limit"
                       : ", but not in one piece: free other memory, or allocate this earlier");
}

}  // namespace pycuda
