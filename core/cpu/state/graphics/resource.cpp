#include "state/graphics/resource.hpp"

#include "state/error.hpp"

namespace cpu::state {

bool GraphicsResource::is_mapped() const {
    const std::lock_guard lock(mutex_);
    return mapped_;
}

void GraphicsResource::set_map_flags(unsigned flags) {
    require(flags <= CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD);
    const std::lock_guard lock(mutex_);
    require(!mapped_, CUDA_ERROR_ALREADY_MAPPED);
    flags_ = flags;
}

void GraphicsResource::map(const opengl::Functions& gl) {
    const std::lock_guard lock(mutex_);
    require(!mapped_, CUDA_ERROR_ALREADY_MAPPED);
    require(exists(gl), CUDA_ERROR_MAP_FAILED);
    try {
        make(gl, !(flags_ & CU_GRAPHICS_MAP_RESOURCE_FLAGS_WRITE_DISCARD));
    } catch (...) {
        drop();
        throw;
    }
    mapped_ = true;
}

void GraphicsResource::unmap(const opengl::Functions& gl) {
    const std::lock_guard lock(mutex_);
    require(mapped_, CUDA_ERROR_NOT_MAPPED);
    require(exists(gl), CUDA_ERROR_UNMAP_FAILED);
    if (!(flags_ & CU_GRAPHICS_MAP_RESOURCE_FLAGS_READ_ONLY)) write(gl);
    drop();
    mapped_ = false;
}

void GraphicsResource::forget() {
    const std::lock_guard lock(mutex_);
    if (mapped_) drop();
    mapped_ = false;
}

GraphicsResource::Memory GraphicsResource::memory() const {
    const std::lock_guard lock(mutex_);
    require(mapped_, CUDA_ERROR_NOT_MAPPED);
    return mapped_memory();
}

CUarray GraphicsResource::array(unsigned index, unsigned level) const {
    const std::lock_guard lock(mutex_);
    require(mapped_, CUDA_ERROR_NOT_MAPPED);
    return mapped_array(index, level);
}

GraphicsResource::Memory GraphicsResource::mapped_memory() const {
    fail(CUDA_ERROR_NOT_MAPPED_AS_POINTER);
}

CUarray GraphicsResource::mapped_array(unsigned, unsigned) const {
    fail(CUDA_ERROR_NOT_MAPPED_AS_ARRAY);
}

}  // namespace cpu::state
