#pragma once

#include <cstddef>

/// The part of an OpenGL program that the tests need, for C++, Python (ctypes) and Java. OpenGL's numbers are its
/// own. Without a window: EGL makes a context for software, and with PYCUDA_DRIVER=cuda for CUDA's first device, if
/// there is an EGL for it. All functions except start use the calling thread's context.
extern "C" {
/// Makes a context of its own current on the calling thread. nullptr, or why there is none.
const char* gl_program_start();
/// Ends the calling thread's context; none is current any more.
void gl_program_stop();
/// The vendor of the OpenGL implementation: GL_VENDOR.
const char* gl_program_vendor();
/// The context is current on the calling thread, or none is. For another thread, after this one has released it.
void* gl_program_take_context();
void gl_program_give_context(void* context);
/// glGetError.
unsigned gl_program_error();

unsigned gl_program_new_buffer(const void* data, std::size_t nbytes);
void gl_program_read_buffer(unsigned name, void* data, std::size_t nbytes);
void gl_program_resize_buffer(unsigned name, std::size_t nbytes);
void gl_program_delete_buffer(unsigned name);

/// An image with storage: a texture of so many levels, or a renderbuffer. A target without depth has depth 1.
unsigned gl_program_new_image(unsigned target, unsigned internal_format, int width, int height, int depth, int levels);
/// One level of a texture. `part` is the target, or the face of a cube. Rows follow each other without gaps.
void gl_program_write_image(unsigned target, unsigned name, unsigned part, int level, int width, int height, int depth,
                            unsigned format, unsigned type, const void* data);
void gl_program_read_image(unsigned target, unsigned name, unsigned part, int level, unsigned format, unsigned type,
                           void* data);
/// A renderbuffer, through a framebuffer: set all texels to one color, and read them as bytes of RGBA.
void gl_program_clear_renderbuffer(unsigned name, float red, float green, float blue, float alpha);
void gl_program_read_renderbuffer(unsigned name, int width, int height, void* data);
void gl_program_delete_image(unsigned target, unsigned name);
}
