#pragma once

#include <cuda.h>

namespace cpu::state {

class Context;

/// Texture and surface objects: a resource that kernels name by a 64-bit handle.
namespace texture {

/// Throws CUDA_ERROR_INVALID_VALUE for a description that no texture can have, CUDA_ERROR_INVALID_HANDLE for an
/// unknown array.
CUtexObject create(Context& context, const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling,
                   const CUDA_RESOURCE_VIEW_DESC* view);
CUsurfObject create_surface(Context& context, const CUDA_RESOURCE_DESC& resource);

/// What an object was made of. Throws CUDA_ERROR_INVALID_VALUE for a handle that names none.
struct Description {
    const Context* owner = nullptr;
    bool surface = false;
    CUDA_RESOURCE_DESC resource{};
    CUDA_TEXTURE_DESC sampling{};
    CUDA_RESOURCE_VIEW_DESC view{};  ///< zeros: none
};
Description describe(unsigned long long object, bool surface);
void destroy(unsigned long long object, bool surface);
/// Ends all objects of a context.
void destroy_all(const Context& context);

}  // namespace texture

}  // namespace cpu::state
