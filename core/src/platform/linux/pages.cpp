#include "platform/pages.hpp"

#include <sys/mman.h>

namespace pycuda {

void* take_pages(std::size_t nbytes) noexcept {
    void* const pages =
        mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return pages == MAP_FAILED ? nullptr : pages;
}

}  // namespace pycuda
