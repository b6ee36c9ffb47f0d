#include "state/external/external_memory.hpp"

#include "state/context.hpp"
#include "state/memory/address_space.hpp"
#include "state/memory/page_block.hpp"
#include "state/textures/array.hpp"

namespace cpu::state {

ExternalMemory::ExternalMemory(Context& context, int descriptor, std::size_t size) : context_(&context), size_(size) {
    require(size > 0);
    file_ = SharedFile::copy_for_import(descriptor, size);
}

CUdeviceptr ExternalMemory::map_buffer(std::size_t offset, std::size_t size) const {
    require(size > 0 && offset <= size_ && size <= size_ - offset);
    const std::size_t before = offset % page_size();
    auto made = std::make_shared<Allocation>();
    made->block = PageBlock::map_file(file_, before + size, offset - before);
    made->base = made->block.address() + before;
    made->size = size;
    made->imported = true;
    made->is_external = true;
    made->context = context_->weak_from_this();
    made->owner = context_;
    made->context_handle = context_->handle();
    made->device = &context_->device();
    AddressSpace::instance().add(made);
    return made->base;
}

CUmipmappedArray ExternalMemory::map_levels(std::size_t offset, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                                            unsigned levels) const {
    require(levels > 0 && offset % MipmappedArray::level_alignment == 0 && offset <= size_);
    return mipmapped_arrays().add(
        std::make_shared<MipmappedArray>(*context_, descriptor, levels, FileRange{&file_, offset, size_ - offset}));
}

}  // namespace cpu::state
