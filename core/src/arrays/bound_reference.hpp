#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "pycuda/arrays/array.hpp"
#include "pycuda/arrays/texture.hpp"
#include "pycuda/arrays/texture_object.hpp"
#include "pycuda/threads/waiting.hpp"

namespace pycuda {

/// The contents of a reference's variable, for launches.
struct Binding {
    std::uint64_t handle = 0;     ///< of a texture or surface object; 0: nothing is bound
    std::shared_ptr<void> owner;  ///< of the object and all it reads
};

/// The shared state of the TextureReference or SurfaceReference objects of one name of one module.
class BoundReference {
public:
    virtual ~BoundReference() = default;
    /// The object for the present binding, created anew if the binding has changed since the last call. The module's
    /// context must be current.
    virtual Binding bind() = 0;
};

/// The initial value of a variable that replaces `texture<...>` or `surface<...>` (pycuda-texture.hpp).
struct ReferenceDeclaration {
    bool is_surface = false;
    bool reads_integers = false;  ///< integer elements, and not cudaReadModeNormalizedFloat
    ArrayFormat format = ArrayFormat::FLOAT;
    int num_channels = 1;

    /// Empty if `value` belongs to another kind of variable.
    static std::optional<ReferenceDeclaration> parse(std::uint64_t value) noexcept;
};

class BoundTexture final : public BoundReference {
public:
    /// `known_to_driver` is null if the reference is a variable, or belongs to no module. `context` is the
    /// module's, or null.
    BoundTexture(std::string name, std::shared_ptr<Context> context, CUtexref known_to_driver,
                 const ReferenceDeclaration& declaration);

    Binding bind() override;
    const std::string& name() const noexcept { return name_; }

    void set_array(std::shared_ptr<Array> array);
    void set_mipmapped_array(std::shared_ptr<MipmappedArray> array);
    std::size_t set_address(DevicePtr devptr, std::size_t bytes, bool allow_offset);
    void set_address_2d(DevicePtr devptr, const ArrayDescriptor& descr, std::size_t pitch);
    void set_format(TextureFormat format);
    /// Changes how the texture is read: runs `call` if the driver knows the reference, else `store` on the description.
    template <class Call, class Store>
    void change(Call&& call, Store&& store) {
        const auto lock = lock_over_calls(mutex_);
        if (known_to_driver_) call(known_to_driver_);
        store(how_);
        object_.reset();
    }
    TextureDescriptor how() const;
    TextureFormat format() const;
    std::shared_ptr<Array> array() const;
    std::shared_ptr<MipmappedArray> mipmapped_array() const;
    DevicePtr address() const;
    /// LogicError if nothing is bound, or the bound memory is freed.
    void check_bound() const;

private:
    enum class Kind { Nothing, Array, MipmappedArray, Linear, Pitched };

    void read_driver_state();
    void rebind(Kind kind) noexcept;
    bool is_there() const noexcept;
    std::shared_ptr<TextureObject> make_object() const;

    const std::string name_;
    const std::shared_ptr<Context> context_;
    const CUtexref known_to_driver_;
    const bool reads_integers_;
    mutable std::mutex mutex_;
    Kind kind_ = Kind::Nothing;
    std::shared_ptr<Array> array_;
    std::shared_ptr<MipmappedArray> mipmapped_;
    DevicePtr pointer_ = 0;
    std::size_t bytes_ = 0;  ///< of linear memory
    std::size_t pitch_ = 0;
    ArrayDescriptor shape_;  ///< of pitched memory
    TextureFormat format_;
    TextureDescriptor how_;
    std::shared_ptr<TextureObject> object_;  ///< null: not created yet
};

class BoundSurface final : public BoundReference {
public:
    BoundSurface(std::string name, std::shared_ptr<Context> context, CUsurfref known_to_driver);

    Binding bind() override;
    const std::string& name() const noexcept { return name_; }
    void set_array(std::shared_ptr<Array> array, unsigned flags);
    std::shared_ptr<Array> array() const;

private:
    const std::string name_;
    const std::shared_ptr<Context> context_;
    const CUsurfref known_to_driver_;
    mutable std::mutex mutex_;
    std::shared_ptr<Array> array_;
    std::shared_ptr<SurfaceObject> object_;
};

}  // namespace pycuda
