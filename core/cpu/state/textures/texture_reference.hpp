#pragma once

#include "state/registry.hpp"

#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace cpu::state {

class Context;

/// What the name of a `.texref` or `.surfref` variable refers to. It is resolved when a kernel that uses it is
/// launched: later bindings do not affect that launch.
class Reference {
public:
    virtual ~Reference() = default;
    /// A handle in exec::texture_table, which the caller must remove.
    virtual std::uint64_t bind() const = 0;
};

/// What a texture reference is bound to and how it is sampled.
struct TextureState {
    std::optional<CUDA_RESOURCE_DESC> resource;
    CUDA_TEXTURE_DESC sampling{};
    CUarray_format format = CU_AD_FORMAT_FLOAT;  ///< of bound linear memory; checked when it is used
    int channels = 1;

    /// Binds linear memory, whose first texel is at the last aligned address not after `pointer`. Returns the distance
    /// in bytes to `pointer`; unless that is 0, `takes_offset` must be true.
    std::size_t set_address(CUdeviceptr pointer, std::size_t bytes, bool takes_offset);
    void set_address_2d(const CUDA_ARRAY_DESCRIPTOR& shape, CUdeviceptr pointer, std::size_t pitch);
    void set_array(CUarray array);
    void set_mipmapped_array(CUmipmappedArray array);
    void set_format(CUarray_format format, int channels);
    /// The address of the linear memory or of the array's memory; throws CUDA_ERROR_INVALID_VALUE if nothing or
    /// something else is bound, also after the array was destroyed.
    CUdeviceptr address() const;
    CUarray array() const;
    CUmipmappedArray mipmapped_array() const;
    /// What a launch reads: nothing if the array was destroyed or the format is invalid.
    std::optional<CUDA_RESOURCE_DESC> readable() const;
};

class TextureReference final : public Reference {
public:
    /// `module`: it belongs to a module, and is destroyed with it.
    TextureReference(const Context& context, bool module);

    const Context* context() const noexcept { return &context_; }
    bool of_module() const noexcept { return of_module_; }
    TextureState state() const;
    template <class F>
    void change(F&& f) {
        std::lock_guard lock(mutex_);
        f(state_);
    }
    std::uint64_t bind() const override;

private:
    const Context& context_;
    const bool of_module_;
    mutable std::mutex mutex_;
    TextureState state_;
};

class SurfaceReference final : public Reference {
public:
    explicit SurfaceReference(const Context& context) : context_(context) {}

    const Context* context() const noexcept { return &context_; }
    /// Throws CUDA_ERROR_INVALID_VALUE if no array is bound.
    CUarray array() const;
    void set_array(CUarray array);
    std::uint64_t bind() const override;

private:
    const Context& context_;
    std::atomic<CUarray> array_{nullptr};
};

inline Registry<TextureReference, CUtexref>& texture_references() {
    return registry<TextureReference, CUtexref>();
}
inline Registry<SurfaceReference, CUsurfref>& surface_references() {
    return registry<SurfaceReference, CUsurfref>();
}

/// What the references of one launch are bound to, kept until the launch has ended.
class Bindings {
public:
    Bindings() = default;
    Bindings(Bindings&& other) noexcept : handles_(std::exchange(other.handles_, {})) {}
    Bindings& operator=(Bindings&& other) noexcept {
        handles_.swap(other.handles_);
        return *this;
    }
    ~Bindings();
    void add(const Reference& reference) { handles_.push_back(reference.bind()); }
    std::span<const std::uint64_t> handles() const noexcept { return handles_; }

private:
    std::vector<std::uint64_t> handles_;
};

}  // namespace cpu::state
