#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "pycuda/constants/constants.hpp"
#include "pycuda/handles/handle.hpp"

namespace pycuda {

/// Shape of an array of one or two dimensions. `width` and `height` count texels; a height of 0 makes it
/// one-dimensional. `num_channels` is 1, 2 or 4.
struct ArrayDescriptor {
    std::size_t width = 0;
    std::size_t height = 0;
    ArrayFormat format = ArrayFormat::FLOAT;
    unsigned num_channels = 1;
};

/// Shape of an array of up to three dimensions; `flags` is a combination of Array3dFlags. With LAYERED, `depth` counts
/// layers (and a height of 0 makes each a line); with CUBEMAP it is 6, with both, a multiple of 6.
struct ArrayDescriptor3D {
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t depth = 0;
    ArrayFormat format = ArrayFormat::FLOAT;
    unsigned num_channels = 1;
    unsigned flags = 0;
};

/// The memory that an array takes: bytes, and the alignment of memory that it is mapped to.
struct ArrayMemory {
    std::size_t size;
    std::size_t alignment;
};

class PhysicalMemory;
class Stream;

/// How a sparse array gets its memory: in tiles of this many texels. The levels that are smaller than a tile, of all or
/// of each layer, share memory without tiles: the mip tail.
struct SparseProperties {
    unsigned tile_width = 0;
    unsigned tile_height = 0;
    unsigned tile_depth = 0;
    unsigned mip_tail_first_level = 0;  ///< of the mip tail, if that has a size
    std::uint64_t mip_tail_size = 0;    ///< in bytes; 0: there is none
    bool has_single_mip_tail = false;   ///< one for all layers
};

/// Texels of one level and layer of a sparse array, in multiples of tiles (SparseProperties).
struct SparseRegion {
    unsigned level = 0;
    unsigned layer = 0;
    unsigned x = 0;
    unsigned y = 0;
    unsigned z = 0;
    unsigned width = 0;
    unsigned height = 0;
    unsigned depth = 1;
};

struct ArrayTraits {
    using type = CUarray;
    static constexpr const char* what = "array";
    static void destroy(CUarray array, Context* owner) noexcept;
};

struct MipmappedArrayTraits {
    using type = CUmipmappedArray;
    static constexpr const char* what = "mipmapped array";
    static void destroy(CUmipmappedArray array, Context* owner) noexcept;
};

class MipmappedArray;

/// Memory in the device's internal layout, for textures and surfaces. Belongs to the context current at its creation.
/// Held by std::shared_ptr: textures and surfaces bound to it keep it alive. Every method but close raises LogicError
/// after free.
class Array {
public:
    /// cuArrayCreate. MemoryError names the requested shape, LogicError an invalid one.
    explicit Array(const ArrayDescriptor& descriptor);
    /// cuArray3DCreate
    explicit Array(const ArrayDescriptor3D& descriptor);
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;

    /// Free now (cuArrayDestroy), after waiting for the device's uses of it. Textures and surfaces bound to it must
    /// not be read any more; a launch that names one raises LogicError. A level of a mipmapped array, or an
    /// OpenGL image, is only released.
    void free();
    /// The same, but a no-op if it is free already.
    void close() noexcept { array_.reset(); }
    ArrayDescriptor get_descriptor() const;       ///< cuArrayGetDescriptor
    ArrayDescriptor3D get_descriptor_3d() const;  ///< cuArray3DGetDescriptor
    /// The memory that an array takes on its device, of one that was created with DEFERRED_MAPPING
    /// (cuArrayGetMemoryRequirements). LogicError for another one.
    ArrayMemory get_memory_requirements() const;
    /// The tiles and the mip tail of an array that was created with SPARSE (cuArrayGetSparseProperties). LogicError
    /// for another one.
    SparseProperties get_sparse_properties() const;
    // Memory of an array with SPARSE or DEFERRED_MAPPING, in the order of `stream` (cuMemMapArrayAsync). `memory` is a
    // tile pool (PhysicalMemory::tile_pool) and stays while it is mapped. With DEFERRED_MAPPING, the memory is that of
    // the whole array, and the region is ignored. LogicError for a device without SPARSE_CUDA_ARRAY_SUPPORTED.

    /// Map memory, from byte `offset` on, to the tiles of a region.
    void map_tiles(const SparseRegion& region, const PhysicalMemory& memory, std::size_t offset = 0,
                   const Stream* stream = nullptr) const;
    void unmap_tiles(const SparseRegion& region, const Stream* stream = nullptr) const;
    /// The same for `size` bytes of the mip tail of a layer, from byte `tail_offset` on.
    void map_mip_tail(std::size_t tail_offset, std::size_t size, const PhysicalMemory& memory, std::size_t offset = 0,
                      unsigned layer = 0, const Stream* stream = nullptr) const;
    void unmap_mip_tail(std::size_t tail_offset, std::size_t size, unsigned layer = 0,
                        const Stream* stream = nullptr) const;
    /// A plane of an array of a format with several planes, such as NV12, which it keeps alive (cuArrayGetPlane).
    /// LogicError for another format, or if there is no such plane.
    static std::shared_ptr<Array> plane_of(std::shared_ptr<Array> array, unsigned index);
    CUarray handle() const;
#ifndef SWIG
    /// The handle of an array, or of a level and its mipmapped array.
    struct Use {
        Handle<MipmappedArrayTraits>::Use whole;
        Handle<ArrayTraits>::Use array;
        operator CUarray() const noexcept { return array; }
    };
    Use use() const;
#endif
    /// LogicError after free.
    std::shared_ptr<Context> context() const;
    /// Whether both are the same array of the driver.
    bool operator==(const Array& other) const noexcept;

#ifndef SWIG
    /// The context of the object that the array is a part of, which it keeps alive; LogicError if that has ended.
    using Whole = std::function<std::shared_ptr<Context>()>;
    /// An array that ends with another object: a level of a mipmapped array, whose use is one of its
    /// `levels`, or a mapped image, which must not be unmapped during a call on another thread.
    static std::shared_ptr<Array> part_of(Whole whole, CUarray part, std::shared_ptr<MipmappedArray> levels = nullptr);
#endif

private:
    Array(Whole whole, CUarray part, std::shared_ptr<MipmappedArray> levels);

    Handle<ArrayTraits> array_;                     ///< a part is borrowed
    const Whole whole_;                             ///< of a part
    const std::shared_ptr<MipmappedArray> levels_;  ///< of a level
};

/// A pyramid of arrays, each half the size of the one before, for textures that are read at a level of detail. Always
/// held by std::shared_ptr: its levels keep it alive.
class MipmappedArray : public std::enable_shared_from_this<MipmappedArray> {
public:
    /// cuMipmappedArrayCreate in the current context; the driver creates fewer if `levels` exceeds the
    /// possible number.
    MipmappedArray(const ArrayDescriptor3D& descriptor, unsigned levels);
    MipmappedArray(const MipmappedArray&) = delete;
    MipmappedArray& operator=(const MipmappedArray&) = delete;

    /// One level (cuMipmappedArrayGetLevel), 0 the largest. It keeps the pyramid alive.
    std::shared_ptr<Array> get_level(unsigned level);
    /// As of an Array (cuMipmappedArrayGetMemoryRequirements).
    ArrayMemory get_memory_requirements() const;
    /// The tiles and the mip tail of an array that was created with SPARSE (cuMipmappedArrayGetSparseProperties).
    /// LogicError for another one.
    SparseProperties get_sparse_properties() const;
    // Memory of an array with SPARSE or DEFERRED_MAPPING, in the order of `stream` (cuMemMapArrayAsync). `memory` is a
    // tile pool (PhysicalMemory::tile_pool) and stays while it is mapped. With DEFERRED_MAPPING, the memory is that of
    // the whole array, and the region is ignored. LogicError for a device without SPARSE_CUDA_ARRAY_SUPPORTED.

    /// Map memory, from byte `offset` on, to the tiles of a region.
    void map_tiles(const SparseRegion& region, const PhysicalMemory& memory, std::size_t offset = 0,
                   const Stream* stream = nullptr) const;
    void unmap_tiles(const SparseRegion& region, const Stream* stream = nullptr) const;
    /// The same for `size` bytes of the mip tail of a layer, from byte `tail_offset` on.
    void map_mip_tail(std::size_t tail_offset, std::size_t size, const PhysicalMemory& memory, std::size_t offset = 0,
                      unsigned layer = 0, const Stream* stream = nullptr) const;
    void unmap_mip_tail(std::size_t tail_offset, std::size_t size, unsigned layer = 0,
                        const Stream* stream = nullptr) const;
    /// Free it with all its levels (cuMipmappedArrayDestroy).
    void free();
    /// The same, but a no-op if it is free already.
    void close() noexcept { array_.reset(); }
    CUmipmappedArray handle() const { return array_.get(); }
    Handle<MipmappedArrayTraits>::Use use() const { return array_.use(); }
    std::shared_ptr<Context> context() const { return array_.live_owner(); }
#ifndef SWIG
    /// Take over an array that is mapped onto `memory`, which it keeps.
    static std::shared_ptr<MipmappedArray> mapped_onto(std::shared_ptr<const void> memory, CUmipmappedArray array,
                                                       std::shared_ptr<Context> owner);
#endif

private:
    MipmappedArray(std::shared_ptr<const void> memory, Handle<MipmappedArrayTraits> array)
        : memory_(std::move(memory)), array_(std::move(array)) {}

    const std::shared_ptr<const void> memory_;  ///< that it is mapped onto; ends after it
    Handle<MipmappedArrayTraits> array_;
};

}  // namespace pycuda
