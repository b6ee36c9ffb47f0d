#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "pycuda/arrays/array.hpp"
#include "pycuda/memory/device_memory.hpp"
#include "pycuda/modules/module.hpp"

namespace pycuda {

class BoundTexture;
class BoundSurface;

/// Format and channels that a texture reference reads.
struct TextureFormat {
    ArrayFormat format;
    int num_components;
};

/// A texture reference of a module, `texture<...> name;` in the source. All objects for one name of one module share
/// the binding, which the module keeps. A launch reads the binding of the time when it is queued: later
/// bindings do not affect it. Thread-safe.
///
/// Where the driver knows the reference (`.texref` in PTX) each setter is a driver call. Otherwise the reference is a
/// variable of the module that holds a texture object, which the next launch of one of the module's kernels
/// creates and writes in stream order; errors are raised there.
class TextureReference {
public:
    /// A reference without a module: it stores settings, and no kernel reads it.
    TextureReference();

    /// Bind an array, and take its format (cuTexRefSetArray).
    void set_array(std::shared_ptr<Array> array);
    /// The same for all levels (cuTexRefSetMipmappedArray).
    void set_mipmapped_array(std::shared_ptr<MipmappedArray> array);
    /// Bind `bytes` bytes of device memory, to be read by tex1Dfetch (cuTexRefSetAddress). The texture begins at
    /// the aligned address at or before `devptr`. Return the distance in bytes; LogicError if it
    /// is not 0 and `allow_offset` is false. The memory is not kept alive.
    std::size_t set_address(DevicePtr devptr, std::size_t bytes, bool allow_offset = false);
    /// Bind rows of device memory, `pitch` bytes from one to the next, and take the format of `descr`
    /// (cuTexRefSetAddress2D). The memory is not kept alive.
    void set_address_2d(DevicePtr devptr, const ArrayDescriptor& descr, std::size_t pitch);
    /// Format of memory bound by set_address; 1, 2 or 4 components.
    void set_format(ArrayFormat fmt, int num_components);
    /// `dim` is 0, 1 or 2. WRAP and MIRROR need TRSF_NORMALIZED_COORDINATES.
    void set_address_mode(int dim, AddressMode am);
    void set_filter_mode(FilterMode fm);
    /// A combination of the TRSF_ constants.
    void set_flags(unsigned flags);
    void set_max_anisotropy(unsigned anisotropy);
    void set_border_color(const std::array<float, 4>& color);
    void set_mipmap_filter_mode(FilterMode fm);
    void set_mipmap_level_bias(float bias);
    void set_mipmap_level_clamp(float minimum, float maximum);

    /// The address that set_address or set_address_2d bound, or the aligned one before it; LogicError if none is bound.
    DevicePtr get_address() const;
    /// The array that is bound; LogicError when none is.
    std::shared_ptr<Array> get_array() const;
    /// The mipmapped array that is bound; LogicError when none is.
    std::shared_ptr<MipmappedArray> get_mipmapped_array() const;
    AddressMode get_address_mode(int dim) const;
    FilterMode get_filter_mode() const;
    TextureFormat get_format() const;
    unsigned get_flags() const;
    unsigned get_max_anisotropy() const;
    std::array<float, 4> get_border_color() const;
    FilterMode get_mipmap_filter_mode() const;
    float get_mipmap_level_bias() const;
    float get_min_mipmap_level_clamp() const;
    float get_max_mipmap_level_clamp() const;

    /// Its name in the source.
    const std::string& name() const noexcept;
#ifndef SWIG
    /// For a launch that names this among its texture references: LogicError if it belongs to another module
    /// than `module`, ...
    void check_module(const Module& module) const;
    /// ... or if nothing is bound, or the bound memory is freed.
    void check_bound() const;
#endif

private:
    friend class Module;
    TextureReference(std::shared_ptr<Module> module, std::shared_ptr<BoundTexture> bound);
    std::shared_ptr<Module> module_;
    std::shared_ptr<BoundTexture> bound_;
};

/// A surface reference of a module, `surface<void, ...> name;` in the source. Otherwise as TextureReference.
class SurfaceReference {
public:
    /// Bind an array made with Array3dFlags::SURFACE_LDST, LogicError otherwise (cuSurfRefSetArray). `flags` is 0.
    void set_array(std::shared_ptr<Array> array, unsigned flags = 0);
    /// The array that is bound; LogicError when none is.
    std::shared_ptr<Array> get_array() const;
    const std::string& name() const noexcept;

private:
    friend class Module;
    SurfaceReference(std::shared_ptr<Module> module, std::shared_ptr<BoundSurface> bound);
    std::shared_ptr<Module> module_;
    std::shared_ptr<BoundSurface> bound_;
};

}  // namespace pycuda
