#include "memory/captured_copy.hpp"

#include "captures/captures.hpp"
#include "pycuda/memory/staging.hpp"

namespace pycuda {

void require_page_locked_if_captured(CUstream stream, const char* call, const void* memory, std::size_t nbytes) {
    if (nbytes != 0 && !is_page_locked(memory, nbytes))
        captures::require_none_of(stream, call, "a graph copies page-locked host memory, and this is pageable");
}

}  // namespace pycuda
