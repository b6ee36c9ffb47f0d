#pragma once

#include <cuda.h>

namespace cpu::state {

class Context;

/// Texture and surface objects: resources that kernels name by a 64-bit handle.
namespace texture {

/// Throws CUDA_ERROR_INVALID_VALUE for an invalid description, CUDA_ERROR_INVALID_HANDLE for an unknown array.
CUtexObject create(Context& context, const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling,
                   const CUDA_RESOURCE_VIEW_DESC* view);
CUsurfObject create_surface(Context& context, const CUDA_RESOURCE_DESC& resource);

/// The description that an object was created from. Throws CUDA_ERROR_INVALID_VALUE for an invalid handle.
struct Description {
    const Context* owner = nullptr;
    bool surface = false;
    CUDA_RESOURCE_DESC resource{};
    CUDA_TEXTURE_DESC sampling{};
    CUDA_RESOURCE_VIEW_DESC view{};  ///< zeros: none
};
Description describe(unsigned long long object, bool surface);
void destroy(unsigned long long object, bool surface);
/// Destroys all objects of a context.
void destroy_all(const Context& context);

}  // namespace texture

}  // namespace cpu::state
