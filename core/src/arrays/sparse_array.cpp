// Arrays whose memory is mapped to them in parts.
#include <string>

#include "arrays/array_mapping.hpp"
#include "driver/driver_table.hpp"
#include "pycuda/arrays/array.hpp"
#include "pycuda/memory/virtual_memory.hpp"
#include "pycuda/streams/stream.hpp"

namespace pycuda {
namespace {

/// Asks for the tiles of an array or mipmapped array in the current context.
template <class Ask, class Use>
SparseProperties sparse_properties_of(const Ask& ask, const Use& array) {
    CUDA_ARRAY_SPARSE_PROPERTIES found{};
    if (const CUresult result = ask.try_call(&found, array))
        ask.fail(result, "only an array that was created with array3d_flags.SPARSE has tiles");
    return {found.tileExtent.width, found.tileExtent.height,
            found.tileExtent.depth, found.miptailFirstLevel,
            found.miptailSize,      (found.flags & CU_ARRAY_SPARSE_PROPERTIES_SINGLE_MIPTAIL) != 0};
}

std::string text_of(const SparseRegion& region) {
    return std::to_string(region.width) + " x " + std::to_string(region.height) + " x " + std::to_string(region.depth) +
           " texels at " + std::to_string(region.x) + ", " + std::to_string(region.y) + ", " +
           std::to_string(region.z) + " of level " + std::to_string(region.level) + ", layer " +
           std::to_string(region.layer);
}

std::string text_of(const MipTailRange& range) {
    return std::to_string(range.size) + " bytes at byte " + std::to_string(range.offset) +
           " of the mip tail of layer " + std::to_string(range.layer);
}

/// Maps a part of an array to memory, or unmaps it without a pool, in the array's context.
template <class Array, class Part>
void change_mapping(const Array& array, const Part& part, const PhysicalMemory* memory, std::size_t offset,
                    const Stream* stream) {
    const auto handle = array.use();
    const ContextScope scope(*array.context());
    const auto pool = memory ? memory->use() : Handle<PhysicalMemoryTraits>::Use();
    CUarrayMapInfo info = mapping_of({pool, offset}, Context::get_device().handle());
    set_resource(info, handle);
    set_subresource(info, part);
    const auto& call = driver().cuMemMapArrayAsync;
    if (const CUresult result = call.try_call(&info, 1, use_of(stream)))
        call.fail(result,
                  text_of(part) + (memory ? ", byte " + std::to_string(offset) + " of the memory" : std::string()) +
                      ": expected an array with array3d_flags.SPARSE or DEFERRED_MAPPING, whole tiles, and memory of "
                      "PhysicalMemory.tile_pool");
}

}  // namespace

SparseProperties Array::get_sparse_properties() const {
    const auto array = use();
    const ContextScope scope(*context());
    return sparse_properties_of(driver().cuArrayGetSparseProperties, array);
}

void Array::map_tiles(const SparseRegion& region, const PhysicalMemory& memory, std::size_t offset,
                      const Stream* stream) const {
    change_mapping(*this, region, &memory, offset, stream);
}

void Array::unmap_tiles(const SparseRegion& region, const Stream* stream) const {
    change_mapping(*this, region, nullptr, 0, stream);
}

void Array::map_mip_tail(std::size_t tail_offset, std::size_t size, const PhysicalMemory& memory, std::size_t offset,
                         unsigned layer, const Stream* stream) const {
    change_mapping(*this, MipTailRange{tail_offset, size, layer}, &memory, offset, stream);
}

void Array::unmap_mip_tail(std::size_t tail_offset, std::size_t size, unsigned layer, const Stream* stream) const {
    change_mapping(*this, MipTailRange{tail_offset, size, layer}, nullptr, 0, stream);
}

SparseProperties MipmappedArray::get_sparse_properties() const {
    const auto array = use();
    const ContextScope scope(*context());
    return sparse_properties_of(driver().cuMipmappedArrayGetSparseProperties, array);
}

void MipmappedArray::map_tiles(const SparseRegion& region, const PhysicalMemory& memory, std::size_t offset,
                               const Stream* stream) const {
    change_mapping(*this, region, &memory, offset, stream);
}

void MipmappedArray::unmap_tiles(const SparseRegion& region, const Stream* stream) const {
    change_mapping(*this, region, nullptr, 0, stream);
}

void MipmappedArray::map_mip_tail(std::size_t tail_offset, std::size_t size, const PhysicalMemory& memory,
                                  std::size_t offset, unsigned layer, const Stream* stream) const {
    change_mapping(*this, MipTailRange{tail_offset, size, layer}, &memory, offset, stream);
}

void MipmappedArray::unmap_mip_tail(std::size_t tail_offset, std::size_t size, unsigned layer,
                                    const Stream* stream) const {
    change_mapping(*this, MipTailRange{tail_offset, size, layer}, nullptr, 0, stream);
}

}  // namespace pycuda
