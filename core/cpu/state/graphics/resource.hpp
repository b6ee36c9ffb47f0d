#pragma once

#include "state/graphics/opengl.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <mutex>

namespace cpu::state {

class Context;

/// A registered buffer or image of OpenGL. While it is mapped, device memory holds a copy of it; OpenGL's functions are
/// called in the context that is current on the calling thread. Thread-safe.
class GraphicsResource {
public:
    virtual ~GraphicsResource() = default;
    GraphicsResource(const GraphicsResource&) = delete;
    GraphicsResource& operator=(const GraphicsResource&) = delete;

    const Context* owner() const noexcept { return &context_; }
    bool is_mapped() const;

    /// Throws CUDA_ERROR_ALREADY_MAPPED if it is mapped.
    void set_map_flags(unsigned flags);
    /// Creates the copy, and fills it with OpenGL's contents unless these are to be discarded. Throws
    /// CUDA_ERROR_ALREADY_MAPPED, and CUDA_ERROR_MAP_FAILED if OpenGL no longer has the object.
    void map(const opengl::Functions& gl);
    /// Writes the copy back to OpenGL, unless it was mapped read-only, and destroys it. Throws CUDA_ERROR_NOT_MAPPED,
    /// and CUDA_ERROR_UNMAP_FAILED if OpenGL no longer has the object.
    void unmap(const opengl::Functions& gl);
    /// Drops the copy, if there is one.
    void forget();

    struct Memory {
        CUdeviceptr pointer;
        std::size_t size;
    };
    /// Throw CUDA_ERROR_NOT_MAPPED, and CUDA_ERROR_NOT_MAPPED_AS_POINTER or _ARRAY for the other kind of resource.
    Memory memory() const;
    CUarray array(unsigned index, unsigned level) const;

protected:
    GraphicsResource(Context& context, unsigned flags) : context_(context), flags_(flags) {}

    Context& context_;  ///< outlives the resource, which is destroyed with it

private:
    virtual bool exists(const opengl::Functions& gl) const = 0;
    /// Creates the copy; with `fill`, from OpenGL's contents. If it throws, the caller calls drop.
    virtual void make(const opengl::Functions& gl, bool fill) = 0;
    virtual void write(const opengl::Functions& gl) const = 0;
    virtual void drop() noexcept = 0;
    virtual Memory mapped_memory() const;
    virtual CUarray mapped_array(unsigned index, unsigned level) const;

    mutable std::mutex mutex_;
    unsigned flags_;  ///< CU_GRAPHICS_MAP_RESOURCE_FLAGS_..., effective from the next map on
    bool mapped_ = false;
};

inline Registry<GraphicsResource, CUgraphicsResource>& graphics_resources() {
    return registry<GraphicsResource, CUgraphicsResource>();
}

/// Throw CUDA_ERROR_INVALID_VALUE for flags, targets and buffers that do not exist, and for images of a format that
/// CUDA does not support; CUDA_ERROR_INVALID_HANDLE for images that do not exist.
std::shared_ptr<GraphicsResource> register_buffer(Context& context, unsigned name, unsigned flags);
std::shared_ptr<GraphicsResource> register_image(Context& context, unsigned name, unsigned target, unsigned flags);

}  // namespace cpu::state
