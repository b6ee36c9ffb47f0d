#pragma once

#include <cstddef>
#include <cstdint>

/// The part of OpenGL that copying buffers and images needs. It requires neither OpenGL's headers nor its libraries: it
/// finds what the program has loaded, at the time of use.
namespace cpu::state::opengl {

// NAME(result, function, parameters)
#define CPU_OPENGL_FUNCTIONS(NAME)                                                                              \
    NAME(const unsigned char*, glGetString, (unsigned))                                                         \
    NAME(unsigned, glGetError, ())                                                                              \
    NAME(void, glGetIntegerv, (unsigned, int*))                                                                 \
    NAME(unsigned char, glIsBuffer, (unsigned))                                                                 \
    NAME(void, glGenBuffers, (int, unsigned*))                                                                  \
    NAME(void, glDeleteBuffers, (int, const unsigned*))                                                         \
    NAME(void, glBindBuffer, (unsigned, unsigned))                                                              \
    NAME(void, glGetBufferParameteri64v, (unsigned, unsigned, std::int64_t*))                                   \
    NAME(void, glBufferData, (unsigned, std::ptrdiff_t, const void*, unsigned))                                 \
    NAME(void, glGetBufferSubData, (unsigned, std::ptrdiff_t, std::ptrdiff_t, void*))                           \
    NAME(void, glCopyBufferSubData, (unsigned, unsigned, std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t))       \
    NAME(unsigned char, glIsTexture, (unsigned))                                                                \
    NAME(void, glGenTextures, (int, unsigned*))                                                                 \
    NAME(void, glDeleteTextures, (int, const unsigned*))                                                        \
    NAME(void, glBindTexture, (unsigned, unsigned))                                                             \
    NAME(void, glGetTexLevelParameteriv, (unsigned, int, unsigned, int*))                                       \
    NAME(void, glTexStorage2D, (unsigned, int, unsigned, int, int))                                             \
    NAME(void, glGetTexImage, (unsigned, int, unsigned, unsigned, void*))                                       \
    NAME(void, glTexSubImage2D, (unsigned, int, int, int, int, int, unsigned, unsigned, const void*))           \
    NAME(void, glTexSubImage3D, (unsigned, int, int, int, int, int, int, int, unsigned, unsigned, const void*)) \
    NAME(void, glPixelStorei, (unsigned, int))                                                                  \
    NAME(unsigned char, glIsRenderbuffer, (unsigned))                                                           \
    NAME(void, glBindRenderbuffer, (unsigned, unsigned))                                                        \
    NAME(void, glGetRenderbufferParameteriv, (unsigned, unsigned, int*))                                        \
    NAME(void, glCopyImageSubData,                                                                              \
         (unsigned, unsigned, int, int, int, int, unsigned, unsigned, int, int, int, int, int, int, int))

/// OpenGL's functions for the context that is current on the calling thread.
struct Functions {
#define CPU_OPENGL_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
    CPU_OPENGL_FUNCTIONS(CPU_OPENGL_MEMBER)
#undef CPU_OPENGL_MEMBER
    int version = 0;  ///< major * 10 + minor

    int integer(unsigned what) const;
};

/// Throws CUDA_ERROR_INVALID_GRAPHICS_CONTEXT if no context is current, and CUDA_ERROR_NOT_SUPPORTED for OpenGL ES and
/// versions before 3.2.
Functions of_this_thread();

/// Binds something for a scope, then restores the program's own binding.
class Binding {
public:
    using Bind = void (*)(unsigned, unsigned);
    /// `query` is the name of the binding for glGetIntegerv.
    Binding(const Functions& gl, Bind bind, unsigned target, unsigned query, unsigned name)
        : bind_(bind), target_(target), before_(static_cast<unsigned>(gl.integer(query))) {
        bind_(target_, name);
    }
    ~Binding() { bind_(target_, before_); }
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

private:
    Bind bind_;
    unsigned target_;
    unsigned before_;
};

/// While this lives, images are copied to and from host memory in rows without gaps.
class PackedPixels {
public:
    explicit PackedPixels(const Functions& gl);
    ~PackedPixels();
    PackedPixels(const PackedPixels&) = delete;
    PackedPixels& operator=(const PackedPixels&) = delete;

private:
    static constexpr std::size_t settings = 16;
    const Functions& gl_;
    int before_[settings];
    Binding pack_;
    Binding unpack_;
};

}  // namespace cpu::state::opengl
