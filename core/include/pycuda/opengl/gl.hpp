#pragma once

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "pycuda/arrays/array.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

class Stream;

// OpenGL buffers and images that CUDA uses in place. OpenGL identifies its objects by numbers (names), and works in the
// OpenGL context current on the calling thread: for registering, mapping, unmapping and unregistering, the
// same one must be current, or one that shares its objects. Otherwise they raise LogicError
// (CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, or another code of the driver's choice).

/// Create and push a context for programs that use OpenGL too; one from Device::make_context works as well. An
/// OpenGL context of the driver's own OpenGL must be current on the calling thread (cuGLGetDevices);
/// otherwise LogicError, and no context is created.
std::shared_ptr<Context> make_gl_context(const Device& dev, unsigned flags = 0);

/// The address and size in bytes of a mapped buffer.
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

/// Base of RegisteredBuffer and RegisteredImage. Held by std::shared_ptr: its mapping keeps it alive.
class RegisteredObject : public std::enable_shared_from_this<RegisteredObject> {
public:
    RegisteredObject(const RegisteredObject&) = delete;
    RegisteredObject& operator=(const RegisteredObject&) = delete;

    /// OpenGL's name of the buffer or image.
    unsigned gl_handle() const noexcept { return name_; }
    /// Give it to CUDA until the mapping is unmapped: OpenGL must not use it meanwhile
    /// (cuGraphicsMapResources). Earlier OpenGL calls complete before work that is queued on `stream` from
    /// now on. LogicError if it is mapped already.
    std::shared_ptr<RegisteredMapping> map(const Stream* stream = nullptr);
    /// Set how CUDA uses later mappings: graphics_map_flags (cuGraphicsResourceSetMapFlags). READ_ONLY: OpenGL may not
    /// see what CUDA writes. WRITE_DISCARD: CUDA does not read the old contents. LogicError while it is mapped.
    void set_map_flags(unsigned flags);
    /// End CUDA's use of it (cuGraphicsUnregisterResource). LogicError while it is mapped, and if it is
    /// unregistered already. Dropping the object unregisters it too. If no OpenGL context is
    /// current on that thread, the next registration or mapping in its context does, or the context's end.
    void unregister();
    /// The same, but unmaps first. A no-op if it is unregistered already. Raises nothing.
    void close() noexcept;

    CUgraphicsResource handle() const { return resource_.get(); }
#ifndef SWIG
    Handle<GraphicsResourceTraits>::Use use() const { return resource_.use(); }
#endif
    std::shared_ptr<Context> context() const { return resource_.live_owner(); }

protected:
    RegisteredObject(unsigned name, Handle<GraphicsResourceTraits> resource)
        : name_(name), resource_(std::move(resource)) {}
    ~RegisteredObject() { close(); }

private:
    friend class RegisteredMapping;
    CUgraphicsResource ready();
    void end_mapping(std::uint64_t number) noexcept;
    std::string object_text() const;

    const unsigned name_;
    std::mutex mutex_;                         ///< guards changes of state; locked before a context's mutex
    std::uint64_t mappings_ = 0;               ///< created so far
    std::atomic<std::uint64_t> mapped_as_{0};  ///< the number of the current mapping, from 1; 0: none
    bool unmap_is_due_ = false;                ///< a mapping was dropped without OpenGL, during a capture or a wait
    Handle<GraphicsResourceTraits> resource_;
};

/// An OpenGL buffer that is registered with CUDA, in the context current at its creation.
class RegisteredBuffer final : public RegisteredObject {
public:
    /// `bufobj`: the buffer's name. `flags`: graphics_map_flags, as in set_map_flags (cuGraphicsGLRegisterBuffer).
    explicit RegisteredBuffer(unsigned bufobj, unsigned flags = 0);
};

/// An OpenGL texture or renderbuffer that is registered with CUDA, in the context current at its creation.
class RegisteredImage final : public RegisteredObject {
public:
    /// `bufobj`: the name of the texture or renderbuffer. `target`: its kind, GL_TEXTURE_2D, GL_TEXTURE_RECTANGLE,
    /// GL_TEXTURE_CUBE_MAP, GL_TEXTURE_3D, GL_TEXTURE_2D_ARRAY or GL_RENDERBUFFER. `flags`: graphics_register_flags,
    /// with SURFACE_LDST if kernels write it through surfaces (cuGraphicsGLRegisterImage). LogicError for formats
    /// without CUDA support; those with 1, 2 or 4 channels of 8, 16 or 32 bits are supported.
    RegisteredImage(unsigned bufobj, unsigned target, unsigned flags = 0);
};

/// A buffer or image while CUDA uses it, returned by map of a registered object, which it keeps alive. Every method but
/// close raises LogicError once it is unmapped. Dropping it waits for all work of the context, then unmaps. If
/// no OpenGL context is current on that thread, the next call with the registered object unmaps.
class RegisteredMapping : public std::enable_shared_from_this<RegisteredMapping> {
public:
    ~RegisteredMapping() { close(); }
    RegisteredMapping(const RegisteredMapping&) = delete;
    RegisteredMapping& operator=(const RegisteredMapping&) = delete;

    /// The buffer's address and size in bytes (cuGraphicsResourceGetMappedPointer). The address is valid
    /// until unmap; only the CPU device detects later uses. LogicError for an image.
    MappedMemory device_ptr_and_size() const;
    /// One array of the image: layer or face `index`, 0 if it has none, of mipmap level `level`
    /// (cuGraphicsSubResourceGetMappedArray). It keeps the mapping alive. After unmap its methods raise
    /// LogicError, and so do launches of kernels that read it through a texture reference. LogicError for a buffer.
    std::shared_ptr<Array> array(unsigned index, unsigned level) const;

    /// Return it to OpenGL, which sees work queued on the stream of map (cuGraphicsUnmapResources). If
    /// that stream is destroyed, wait for the whole context instead. LogicError if it is unmapped already.
    void unmap();
    /// The same, after work queued on `stream`; null is the default stream.
    void unmap(const Stream* stream);
    /// Wait for the context and unmap; a no-op if it is unmapped already. Raises nothing.
    void close() noexcept;

    CUgraphicsResource handle() const;
    /// LogicError if it is unmapped.
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
    const std::uint64_t life_of_stream_;  ///< drivers reuse handles
};

}  // namespace pycuda
