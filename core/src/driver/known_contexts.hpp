#pragma once

#include <cuda.h>

#include <memory>
#include <mutex>
#include <unordered_map>

namespace pycuda {

class Context;

/// The object of each context that this library knows.
struct KnownContexts {
    struct Known {
        std::weak_ptr<Context> context;
        const Context* object = nullptr;
        CUdevice device = 0;
    };
    std::mutex mutex;
    std::unordered_map<CUcontext, Known> contexts;
};

KnownContexts& known_contexts();

/// The device of a context that has not ended, current here or not; -1: there is none.
int device_of_some_context() noexcept;

}  // namespace pycuda
