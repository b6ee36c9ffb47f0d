#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "pycuda/arrays/array.hpp"
#include "pycuda/memory/device_memory.hpp"

namespace pycuda {

class Stream;

/// How a texture is read. `flags` is a combination of the TRSF_ constants. Coordinates are texels, and integers of 8
/// and 16 bits read as floats in [0, 1] or [-1, 1], unless the flags say otherwise.
struct TextureDescriptor {
    FilterMode filter_mode = FilterMode::POINT;
    unsigned flags = 0;
    unsigned max_anisotropy = 0;
    FilterMode mipmap_filter_mode = FilterMode::POINT;
    float mipmap_level_bias = 0;
    float min_mipmap_level_clamp = 0;
    float max_mipmap_level_clamp = 0;

    /// `dim` is 0, 1 or 2. WRAP and MIRROR need TRSF_NORMALIZED_COORDINATES.
    void set_address_mode(int dim, AddressMode am);
    /// The value outside the image, with BORDER.
    void set_border_color(const std::array<float, 4>& color) { border_color = color; }
    AddressMode get_address_mode(int dim) const;
    std::array<float, 4> get_border_color() const { return border_color; }
#ifndef SWIG
    std::array<AddressMode, 3> address_mode{AddressMode::CLAMP, AddressMode::CLAMP, AddressMode::CLAMP};
    std::array<float, 4> border_color{};
#endif
};

/// How a texture reads an array that holds other elements: as elements of another type and of the same size, and only
/// some of its levels or layers. Sizes are those of the array, in elements of the view.
struct ResourceView {
    ArrayFormat format = ArrayFormat::FLOAT;  ///< of 8, 16 or 32 bits
    unsigned num_channels = 1;                ///< 1, 2 or 4
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t depth = 0;
    unsigned first_mipmap_level = 0;
    unsigned last_mipmap_level = 0;
    unsigned first_layer = 0;
    unsigned last_layer = 0;
};

/// What a texture or surface object reads, as the driver reports it. A value: owns nothing.
class ResourceDescriptor {
public:
    ResourceType type() const noexcept { return static_cast<ResourceType>(resource_.resType); }
    /// The handle of an array or mipmapped array, the address of memory.
    std::uint64_t source() const noexcept;
    // Of memory; 0 for arrays.
    ArrayFormat format() const noexcept;
    unsigned num_channels() const noexcept;
    std::size_t width() const noexcept;   ///< texels in a row; of linear memory all
    std::size_t height() const noexcept;  ///< rows; 1 for linear memory
    std::size_t pitch() const noexcept;   ///< bytes from a row to the next; 0 for linear memory
#ifndef SWIG
    ResourceDescriptor() = default;
    explicit ResourceDescriptor(const CUDA_RESOURCE_DESC& resource) : resource_(resource) {}
#endif

private:
    CUDA_RESOURCE_DESC resource_{};
};

struct TextureObjectTraits {
    using type = CUtexObject;
    static constexpr const char* what = "texture object";
    static constexpr bool is_number = true;
    /// If graphs use it, they destroy it.
    static void destroy(CUtexObject object, Context* owner) noexcept;
};

struct SurfaceObjectTraits {
    using type = CUsurfObject;
    static constexpr const char* what = "surface object";
    static constexpr bool is_number = true;
    static void destroy(CUsurfObject object, Context* owner) noexcept;
};

/// A texture that kernels take as an argument: a cudaTextureObject_t (cuTexObjectCreate). Belongs to the context
/// current at its creation, and keeps an array that it reads alive. Exclusive owner; move-only. Must outlive the
/// launches that use it.
class TextureObject {
public:
    explicit TextureObject(std::shared_ptr<Array> array, const TextureDescriptor& descriptor = {});
    explicit TextureObject(std::shared_ptr<MipmappedArray> array, const TextureDescriptor& descriptor = {});
    TextureObject(std::shared_ptr<Array> array, const TextureDescriptor& descriptor, const ResourceView& view);
    TextureObject(std::shared_ptr<MipmappedArray> array, const TextureDescriptor& descriptor, const ResourceView& view);
    /// `nbytes` bytes at `devptr`, for tex1Dfetch; `devptr` is aligned to the device's TEXTURE_ALIGNMENT. The memory
    /// is not kept alive.
    static TextureObject of_linear(DevicePtr devptr, std::size_t nbytes, ArrayFormat format, unsigned num_channels,
                                   const TextureDescriptor& descriptor);
    /// Rows of device memory, `pitch` bytes from one to the next, a multiple of TEXTURE_PITCH_ALIGNMENT.
    static TextureObject of_pitched(DevicePtr devptr, const ArrayDescriptor& shape, std::size_t pitch,
                                    const TextureDescriptor& descriptor);

    /// How it reads (cuTexObjectGetTextureDesc).
    TextureDescriptor get_descriptor() const;
    /// What it reads (cuTexObjectGetResourceDesc).
    ResourceDescriptor get_resource() const;
    /// The view that it was created with (cuTexObjectGetResourceViewDesc). LogicError if there is none.
    ResourceView get_view() const;
    /// The kernel's argument: 8 bytes. LogicError after close.
    std::uint64_t handle() const { return object_.get(); }
    std::shared_ptr<Context> context() const { return object_.live_owner(); }
    /// Destroy it now (cuTexObjectDestroy) and release the array that it reads. A no-op if it is closed already.
    void close() noexcept { object_.reset(); }
    /// Record that it is an argument of work on `stream`, or of the node whose arguments are being read: the graph
    /// keeps it and what it reads.
    void note_in_graph(const Stream* stream) const;

private:
    TextureObject(const CUDA_RESOURCE_DESC& resource, const TextureDescriptor& descriptor, std::shared_ptr<void> owner,
                  const ResourceView* view = nullptr);
    std::shared_ptr<void> owner_;        ///< destroyed after the object
    std::uint64_t source_;               ///< what it reads: an array's handle, or an address
    std::array<float, 4> border_color_;  ///< NVIDIA's driver (580) returns zeros
    Handle<TextureObjectTraits> object_;
};

/// A surface that kernels take as an argument: a cudaSurfaceObject_t (cuSurfObjectCreate). Otherwise as TextureObject.
class SurfaceObject {
public:
    /// LogicError unless `array` was created with Array3dFlags::SURFACE_LDST.
    explicit SurfaceObject(std::shared_ptr<Array> array);

    /// What it reads and writes (cuSurfObjectGetResourceDesc).
    ResourceDescriptor get_resource() const;
    std::uint64_t handle() const { return object_.get(); }
    std::shared_ptr<Context> context() const { return object_.live_owner(); }
    void close() noexcept { object_.reset(); }
    void note_in_graph(const Stream* stream) const;

private:
    std::shared_ptr<Array> array_;
    Handle<SurfaceObjectTraits> object_;
};

}  // namespace pycuda
