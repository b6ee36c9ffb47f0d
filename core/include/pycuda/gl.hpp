#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "pycuda/arrays/array.hpp"
#include "pycuda/device_memory.hpp"
#include "pycuda/stream.hpp"

namespace pycuda {

// Buffers and images of OpenGL, which CUDA uses in place. OpenGL knows its objects by numbers (names), and works in the
// OpenGL context that is current on the calling thread: registering, mapping, unmapping and unregistering want the
// same one current, or one that shares its objects. Without one they raise LogicError (CUDA_ERROR_INVALID_GRAPHICS_
// CONTEXT, or another code of the driver's choice).

/// A context for programs that use OpenGL too, pushed like that of Device::make_context, which serves as well. An
/// OpenGL context must be current on the calling thread, of the driver's own OpenGL (cuGLGetDevices): LogicError
/// otherwise, and no context is left.
std::shared_ptr<Context> make_gl_context(const Device& dev, unsigned flags = 0);

/// Where a mapped buffer is, and its bytes.
struct MappedMemory {
    DevicePtr pointer;
    std::size_t size;
};

struct GraphicsResourceTraits {
    using type = CUgraphicsResource;
    static constexpr const char* what = "registered OpenGL object";
    static void destroy(CUgraphicsResource resource, Context* owner) noexcept;
};

class RegisteredMapping;

/// What RegisteredBuffer and RegisteredImage have in common. Held by std::shared_ptr: its mapping keeps it alive.
class RegisteredObject : public std::enable_shared_from_this<RegisteredObject> {
public:
    RegisteredObject(const RegisteredObject&) = delete;
    RegisteredObject& operator=(const RegisteredObject&) = delete;

    /// OpenGL's name of the buffer or image.
    unsigned gl_handle() const noexcept { return name_; }
    /// Hand it to CUDA until the mapping is unmapped: meanwhile OpenGL must not use it (cuGraphicsMapResources).
    /// What OpenGL was asked to do before is done before anything that is queued on `stream` from now on. LogicError
    /// when it is mapped already.
    std::shared_ptr<RegisteredMapping> map(const Stream* stream = nullptr);
    /// What the next mappings are for: graphics_map_flags (cuGraphicsResourceSetMapFlags). READ_ONLY: OpenGL need not
    /// see what CUDA writes. WRITE_DISCARD: CUDA reads nothing of what was in it. LogicError while it is mapped.
    void set_map_flags(unsigned flags);
    /// CUDA is done with it (cuGraphicsUnregisterResource). LogicError while it is mapped, and when it has been
    /// unregistered already. Dropping the object unregisters too; where no OpenGL context is current on the thread that
    /// drops it, the next registration or mapping in its context does, or the context's end.
    void unregister();
    /// The same, but unmaps first, does nothing the second time, and raises nothing.
    void close() noexcept;

    CUgraphicsResource handle() const { return resource_.get(); }
#ifndef SWIG
    Handle<GraphicsResourceTraits>::Use use() const { return resource_.use(); }
#endif
    std::shared_ptr<Context> context() const { return resource_.live_owner(); }

protected:
    RegisteredObject(unsigned name, Handle<GraphicsResourceTraits> resource)
        : name_(name), resource_(std::move(resource)) {}
    ~RegisteredObject() = default;

private:
    friend class RegisteredMapping;
    CUgraphicsResource ready();
    void end_mapping(std::uint64_t number) noexcept;
    std::string object_text() const;

    const unsigned name_;
    std::mutex mutex_;                         ///< of each step from one state to another; comes before a context's own
    std::uint64_t mappings_ = 0;               ///< made so far
    std::atomic<std::uint64_t> mapped_as_{0};  ///< the number of the mapping there is, from 1; 0: none
    bool unmap_is_due_ = false;                ///< a mapping was dropped where no OpenGL context was current
    Handle<GraphicsResourceTraits> resource_;
};

/// A buffer of OpenGL that is registered with CUDA, in the context current at its creation.
class RegisteredBuffer final : public RegisteredObject {
public:
    /// `bufobj` is the buffer's name. `flags`: graphics_map_flags, as of set_map_flags (cuGraphicsGLRegisterBuffer).
    explicit RegisteredBuffer(unsigned bufobj, unsigned flags = 0);
};

/// A texture or renderbuffer of OpenGL that is registered with CUDA, in the context current at its creation.
class RegisteredImage final : public RegisteredObject {
public:
    /// `bufobj` is the name of the texture or renderbuffer, `target` what it is: GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE,
    /// GL_TEXTURE_CUBE_MAP, GL_TEXTURE_3D, GL_TEXTURE_2D_ARRAY or GL_RENDERBUFFER. `flags`: graphics_register_flags,
    /// with SURFACE_LDST for what kernels write through surfaces (cuGraphicsGLRegisterImage). LogicError for formats
    /// that CUDA has not: those with 1, 2 or 4 channels of 8, 16 or 32 bits are good.
    RegisteredImage(unsigned bufobj, unsigned target, unsigned flags = 0);
};

/// A buffer or image while it is CUDA's, which map of a registered one gives, and which keeps that alive. Every method
/// but close raises LogicError once it is unmapped. Dropping it waits for all work of the context, and unmaps; where no
/// OpenGL context is current on that thread, the next call with the registered object does.
class RegisteredMapping : public std::enable_shared_from_this<RegisteredMapping> {
public:
    ~RegisteredMapping() { close(); }
    RegisteredMapping(const RegisteredMapping&) = delete;
    RegisteredMapping& operator=(const RegisteredMapping&) = delete;

    /// Where the buffer is and its bytes (cuGraphicsResourceGetMappedPointer). The address is good until it is
    /// unmapped, and nothing watches over its use after that. LogicError for an image.
    MappedMemory device_ptr_and_size() const;
    /// One array of the image: layer or face `index`, 0 if it has none, of mipmap level `level`
    /// (cuGraphicsSubResourceGetMappedArray). It keeps the mapping alive, and ends with it: from then on its methods,
    /// and launches of kernels that read it through a texture reference, raise LogicError. LogicError for a buffer.
    std::shared_ptr<Array> array(unsigned index, unsigned level) const;

    /// Return it to OpenGL, which sees what was queued on the stream that map was given (cuGraphicsUnmapResources).
    /// Where that stream has ended, the whole context is waited for. LogicError when that has been done already.
    void unmap();
    /// The same after what was queued on `stream`; null is the default stream.
    void unmap(const Stream* stream);
    /// Wait for the context and unmap; a second call does nothing. Raises nothing.
    void close() noexcept;

    CUgraphicsResource handle() const;
    /// LogicError when it is unmapped.
    std::shared_ptr<Context> context() const;

    static constexpr const char* what = "OpenGL mapping";

private:
    friend class RegisteredObject;
    RegisteredMapping(std::shared_ptr<RegisteredObject> object, std::uint64_t number, const Stream* stream);
    enum class Ordered { AfterGivenStream, AfterStreamOfMap };
    void unmap_after(CUstream stream, Ordered ordered);

    const std::shared_ptr<RegisteredObject> object_;
    const std::uint64_t number_;
    const CUstream stream_;               ///< of map
    const std::uint64_t life_of_stream_;  ///< drivers give handles again
};

}  // namespace pycuda
