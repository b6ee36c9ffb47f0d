#include "pycuda/handles/handle.hpp"

#include "pycuda/platform/forks.hpp"

namespace pycuda {

std::mutex& handle_owner_mutex() noexcept {
    static auto* instance = fork_safe(new std::mutex);
    return *instance;
}

}  // namespace pycuda
