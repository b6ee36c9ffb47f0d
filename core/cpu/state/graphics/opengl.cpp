#include "state/graphics/opengl.hpp"

#include "platform/libraries.hpp"
#include "state/error.hpp"

#include <cstdio>
#include <iterator>

namespace cpu::state::opengl {

namespace {

constexpr unsigned gl_version = 0x1F02;
constexpr unsigned pixel_pack_buffer = 0x88EB, pixel_pack_buffer_binding = 0x88ED;
constexpr unsigned pixel_unpack_buffer = 0x88EC, pixel_unpack_buffer_binding = 0x88EF;

/// 0 for OpenGL ES.
int version_of(const Functions& gl) {
    const auto* const text = reinterpret_cast<const char*>(gl.glGetString(gl_version));
    int major = 0, minor = 0;
    if (!text || std::sscanf(text, "%d.%d", &major, &minor) != 2) return 0;
    return major * 10 + minor;
}

/// GL_PACK_ and GL_UNPACK_: SWAP_BYTES, LSB_FIRST, ROW_LENGTH, SKIP_ROWS, SKIP_PIXELS, ALIGNMENT, SKIP_IMAGES,
/// IMAGE_HEIGHT.
constexpr unsigned pixel_settings[] = {0x0D00, 0x0D01, 0x0D02, 0x0D03, 0x0D04, 0x0D05, 0x806B, 0x806C,
                                       0x0CF0, 0x0CF1, 0x0CF2, 0x0CF3, 0x0CF4, 0x0CF5, 0x806D, 0x806E};
constexpr int packed(unsigned setting) {
    return setting == 0x0D05 || setting == 0x0CF5 ? 1 : 0;  // alignment
}

}  // namespace

int Functions::integer(unsigned what) const {
    int value = 0;
    glGetIntegerv(what, &value);
    return value;
}

Functions of_this_thread() {
    const platform::FindOpenGl find = platform::opengl_of_this_thread();
    require(find != nullptr, CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
    Functions gl;
#define CPU_OPENGL_FIND(result, name, parameters) gl.name = reinterpret_cast<result(*) parameters>(find(#name));
    CPU_OPENGL_FUNCTIONS(CPU_OPENGL_FIND)
#undef CPU_OPENGL_FIND
    require(gl.glGetString != nullptr, CUDA_ERROR_NOT_SUPPORTED);
    gl.version = version_of(gl);
    require(gl.version >= 32, CUDA_ERROR_NOT_SUPPORTED);
    return gl;
}

PackedPixels::PackedPixels(const Functions& gl)
    : gl_(gl),
      pack_(gl, gl.glBindBuffer, pixel_pack_buffer, pixel_pack_buffer_binding, 0),
      unpack_(gl, gl.glBindBuffer, pixel_unpack_buffer, pixel_unpack_buffer_binding, 0) {
    static_assert(std::size(pixel_settings) == settings);
    for (std::size_t i = 0; i < settings; ++i) {
        before_[i] = gl_.integer(pixel_settings[i]);
        gl_.glPixelStorei(pixel_settings[i], packed(pixel_settings[i]));
    }
}

PackedPixels::~PackedPixels() {
    for (std::size_t i = 0; i < settings; ++i) gl_.glPixelStorei(pixel_settings[i], before_[i]);
}

}  // namespace cpu::state::opengl
