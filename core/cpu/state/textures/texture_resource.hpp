#pragma once

#include "exec/textures/texture.hpp"

#include <cuda.h>

#include <memory>

/// What textures and surfaces read: arrays and linear memory, as kernels see them.
namespace cpu::state::texture {

/// Throws CUDA_ERROR_INVALID_VALUE for an invalid description, CUDA_ERROR_INVALID_HANDLE for an unknown array.
std::shared_ptr<exec::Texture> make_texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling);
/// The same for a resource that was checked before: a fetch from memory that has been freed is a fault.
std::shared_ptr<exec::Texture> bind_texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling);
/// A texture whose fetches all return zeros.
std::shared_ptr<exec::Texture> unbound_texture();
std::shared_ptr<exec::Surface> make_surface(const CUDA_RESOURCE_DESC& resource);
std::shared_ptr<exec::Surface> bind_surface(CUarray array);

}  // namespace cpu::state::texture
