#pragma once

#include <cuda.h>

#include <functional>

namespace cpu::state::opengl {

/// How texels are transferred between OpenGL and an array.
struct ImageFormat {
    CUarray_format plain;
    unsigned channels;
    unsigned layout;  ///< OpenGL's format: GL_RED, GL_RG_INTEGER, ...
    unsigned type;    ///< OpenGL's type of one channel
};

/// The format of an image, from the values of glGetTexLevelParameteriv. Throws CUDA_ERROR_INVALID_VALUE for formats
/// that CUDA does not support: it supports 1, 2 or 4 channels with the same number of bits.
ImageFormat image_format(const std::function<int(unsigned)>& parameter);

}  // namespace cpu::state::opengl
