#include "driver/known_contexts.hpp"

namespace pycuda {

KnownContexts& known_contexts() {
    static auto* const instance = new KnownContexts;  // contexts may end at any time during process exit
    return *instance;
}

int device_of_some_context() noexcept {
    KnownContexts& known = known_contexts();
    const std::lock_guard lock(known.mutex);
    for (const auto& [handle, one] : known.contexts)
        if (!one.context.expired()) return one.device;
    return -1;
}

}  // namespace pycuda
