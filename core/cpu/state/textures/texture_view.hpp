#pragma once

#include "exec/textures/texture.hpp"

#include <cuda.h>

namespace cpu::state::texture {

/// Makes a texture read its array in another format, or only some of its mipmap levels or layers. Throws
/// CUDA_ERROR_INVALID_VALUE for an invalid view, CUDA_ERROR_NOT_SUPPORTED for block-compressed formats.
void apply_view(exec::Texture& texture, const CUDA_RESOURCE_VIEW_DESC& view);

}  // namespace cpu::state::texture
