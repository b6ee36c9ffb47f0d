#include "gl_program.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#ifdef WITH_JNI
#include <jni.h>
#endif

namespace {

constexpr unsigned surfaceless_platform = 0x31DD, device_platform = 0x313F, opengl_api = 0x30A2;
constexpr unsigned array_buffer = 0x8892, static_draw = 0x88E4, renderbuffer = 0x8D41, framebuffer = 0x8D40;
constexpr unsigned color_attachment = 0x8CE0, color_buffer_bit = 0x4000, rgba = 0x1908, unsigned_byte = 0x1401;
constexpr unsigned texture_3d = 0x806F, texture_2d_array = 0x8C1A, pack_alignment = 0x0D05, unpack_alignment = 0x0CF5;
constexpr unsigned vendor = 0x1F00;
constexpr int cuda_device = 0x323A;

void* egl() {
    static void* const library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    return library;
}

template <class... Parameters>
void* egl_pointer(const char* name, Parameters... parameters) {
    return reinterpret_cast<void* (*)(Parameters...)>(dlsym(egl(), name))(parameters...);
}

template <class... Parameters>
unsigned egl_bool(const char* name, Parameters... parameters) {
    return reinterpret_cast<unsigned (*)(Parameters...)>(dlsym(egl(), name))(parameters...);
}

/// A function of OpenGL, called by name.
template <class Result = void, class... Parameters>
Result gl(const char* name, Parameters... parameters) {
    const auto function = reinterpret_cast<Result (*)(Parameters...)>(egl_pointer("eglGetProcAddress", name));
    return function(parameters...);
}

void* none = nullptr;

/// The EGL device that is CUDA's first device: a host also has those of Mesa and of other GPUs. nullptr if there is
/// none.
void* display_of_gpu() {
    const auto query = reinterpret_cast<unsigned (*)(int, void**, int*)>(
        egl_pointer("eglGetProcAddress", static_cast<const char*>("eglQueryDevicesEXT")));
    const auto attribute = reinterpret_cast<unsigned (*)(void*, int, std::intptr_t*)>(
        egl_pointer("eglGetProcAddress", static_cast<const char*>("eglQueryDeviceAttribEXT")));
    void* devices[64];
    int count = 0;
    if (!query || !attribute || !query(64, devices, &count)) return nullptr;
    for (int i = 0; i < count; ++i) {
        std::intptr_t number = -1;
        if (attribute(devices[i], cuda_device, &number) && number == 0)
            return egl_pointer("eglGetPlatformDisplay", device_platform, devices[i], none);
    }
    return nullptr;
}

void* display() {
    static void* const shown = [] {
        const char* driver = std::getenv("PYCUDA_DRIVER");
        void* made = driver && std::strcmp(driver, "cuda") == 0 ? display_of_gpu() : nullptr;
        if (made && egl_bool("eglInitialize", made, none, none)) return made;
        made = egl_pointer("eglGetPlatformDisplay", surfaceless_platform, none, none);
        return made && egl_bool("eglInitialize", made, none, none) ? made : nullptr;
    }();
    return shown;
}

unsigned make_current(void* context) {
    return egl_bool("eglMakeCurrent", display(), none, none, context);
}

/// Binds the renderbuffer as the draw target for a scope.
struct Framebuffer {
    unsigned name = 0;
    explicit Framebuffer(unsigned image) {
        gl("glGenFramebuffers", 1, &name);
        gl("glBindFramebuffer", framebuffer, name);
        gl("glFramebufferRenderbuffer", framebuffer, color_attachment, renderbuffer, image);
    }
    ~Framebuffer() { gl("glDeleteFramebuffers", 1, &name); }
};

}  // namespace

const char* gl_program_start() {
    if (!egl()) return "libEGL.so.1 is not installed";
    if (!display()) return "EGL has no display without a screen";
    egl_bool("eglBindAPI", opengl_api);
    void* const context = egl_pointer("eglCreateContext", display(), none, none, none);
    if (!context) return "EGL makes no context for OpenGL";
    return make_current(context) ? nullptr : "the context cannot be made current";
}

void gl_program_stop() {
    if (void* const context = gl_program_take_context()) egl_bool("eglDestroyContext", display(), context);
}

const char* gl_program_vendor() {
    return gl<const char*>("glGetString", vendor);
}

void* gl_program_take_context() {
    void* const context = egl_pointer("eglGetCurrentContext");
    make_current(nullptr);
    return context;
}

void gl_program_give_context(void* context) {
    egl_bool("eglBindAPI", opengl_api);
    make_current(context);
}

unsigned gl_program_error() {
    return gl<unsigned>("glGetError");
}

unsigned gl_program_new_buffer(const void* data, std::size_t nbytes) {
    unsigned name = 0;
    gl("glGenBuffers", 1, &name);
    gl("glBindBuffer", array_buffer, name);
    gl("glBufferData", array_buffer, static_cast<std::ptrdiff_t>(nbytes), data, static_draw);
    return name;
}

void gl_program_read_buffer(unsigned name, void* data, std::size_t nbytes) {
    gl("glBindBuffer", array_buffer, name);
    gl("glGetBufferSubData", array_buffer, std::ptrdiff_t{0}, static_cast<std::ptrdiff_t>(nbytes), data);
}

void gl_program_resize_buffer(unsigned name, std::size_t nbytes) {
    gl("glBindBuffer", array_buffer, name);
    gl("glBufferData", array_buffer, static_cast<std::ptrdiff_t>(nbytes), none, static_draw);
}

void gl_program_delete_buffer(unsigned name) {
    gl("glDeleteBuffers", 1, &name);
}

unsigned gl_program_new_image(unsigned target, unsigned internal_format, int width, int height, int depth, int levels) {
    unsigned name = 0;
    if (target == renderbuffer) {
        gl("glGenRenderbuffers", 1, &name);
        gl("glBindRenderbuffer", renderbuffer, name);
        gl("glRenderbufferStorage", renderbuffer, internal_format, width, height);
        return name;
    }
    gl("glGenTextures", 1, &name);
    gl("glBindTexture", target, name);
    if (target == texture_3d || target == texture_2d_array)
        gl("glTexStorage3D", target, levels, internal_format, width, height, depth);
    else
        gl("glTexStorage2D", target, levels, internal_format, width, height);
    return name;
}

void gl_program_write_image(unsigned target, unsigned name, unsigned part, int level, int width, int height, int depth,
                            unsigned format, unsigned type, const void* data) {
    gl("glBindTexture", target, name);
    gl("glPixelStorei", unpack_alignment, 1);
    if (target == texture_3d || target == texture_2d_array)
        gl("glTexSubImage3D", part, level, 0, 0, 0, width, height, depth, format, type, data);
    else
        gl("glTexSubImage2D", part, level, 0, 0, width, height, format, type, data);
    gl("glPixelStorei", unpack_alignment, 4);
}

void gl_program_read_image(unsigned target, unsigned name, unsigned part, int level, unsigned format, unsigned type,
                           void* data) {
    gl("glBindTexture", target, name);
    gl("glPixelStorei", pack_alignment, 1);
    gl("glGetTexImage", part, level, format, type, data);
    gl("glPixelStorei", pack_alignment, 4);
}

void gl_program_clear_renderbuffer(unsigned name, float red, float green, float blue, float alpha) {
    const Framebuffer drawn(name);
    gl("glClearColor", red, green, blue, alpha);
    gl("glClear", color_buffer_bit);
}

void gl_program_read_renderbuffer(unsigned name, int width, int height, void* data) {
    const Framebuffer drawn(name);
    gl("glReadPixels", 0, 0, width, height, rgba, unsigned_byte, data);
}

void gl_program_delete_image(unsigned target, unsigned name) {
    gl(target == renderbuffer ? "glDeleteRenderbuffers" : "glDeleteTextures", 1, &name);
}

#ifdef WITH_JNI
extern "C" {
JNIEXPORT jstring JNICALL Java_org_pycuda_GlProgram_start(JNIEnv* environment, jclass) {
    const char* const why = gl_program_start();
    return why ? environment->NewStringUTF(why) : nullptr;
}
JNIEXPORT void JNICALL Java_org_pycuda_GlProgram_stop(JNIEnv*, jclass) {
    gl_program_stop();
}
JNIEXPORT jstring JNICALL Java_org_pycuda_GlProgram_vendor(JNIEnv* environment, jclass) {
    return environment->NewStringUTF(gl_program_vendor());
}
JNIEXPORT jint JNICALL Java_org_pycuda_GlProgram_newBuffer(JNIEnv* environment, jclass, jobject data, jint nbytes) {
    return static_cast<jint>(
        gl_program_new_buffer(environment->GetDirectBufferAddress(data), static_cast<std::size_t>(nbytes)));
}
JNIEXPORT void JNICALL Java_org_pycuda_GlProgram_readBuffer(JNIEnv* environment, jclass, jint name, jobject data,
                                                            jint nbytes) {
    gl_program_read_buffer(static_cast<unsigned>(name), environment->GetDirectBufferAddress(data),
                           static_cast<std::size_t>(nbytes));
}
JNIEXPORT jint JNICALL Java_org_pycuda_GlProgram_newImage(JNIEnv*, jclass, jint target, jint internal_format,
                                                          jint width, jint height) {
    return static_cast<jint>(gl_program_new_image(static_cast<unsigned>(target), static_cast<unsigned>(internal_format),
                                                  width, height, 1, 1));
}
JNIEXPORT void JNICALL Java_org_pycuda_GlProgram_readImage(JNIEnv* environment, jclass, jint target, jint name,
                                                           jint format, jint type, jobject data) {
    gl_program_read_image(static_cast<unsigned>(target), static_cast<unsigned>(name), static_cast<unsigned>(target), 0,
                          static_cast<unsigned>(format), static_cast<unsigned>(type),
                          environment->GetDirectBufferAddress(data));
}
}
#endif
