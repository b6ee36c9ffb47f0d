#include "platform/pages.hpp"

#include <windows.h>

namespace pycuda {

void* take_pages(std::size_t nbytes) noexcept {
    return VirtualAlloc(nullptr, nbytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

}  // namespace pycuda
