#pragma once

#include "exec/image.hpp"
#include "state/modules/kernel_attributes.hpp"
#include "state/registry.hpp"
#include "state/textures/texture_reference.hpp"

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace cpu::state {

class Context;
class Module;

/// A kernel of a loaded module, with the attributes that the program set.
class Function {
public:
    Function(std::shared_ptr<Module> module, const exec::Kernel* kernel);

    const std::shared_ptr<Module>& module() const noexcept { return module_; }
    const exec::Kernel* kernel() const noexcept { return kernel_; }
    const exec::KernelInfo& info() const noexcept { return info_; }

    KernelAttributes& attributes() noexcept { return attributes_; }
    const KernelAttributes& attributes() const noexcept { return attributes_; }

private:
    std::shared_ptr<Module> module_;
    const exec::Kernel* kernel_;
    const exec::KernelInfo& info_;
    KernelAttributes attributes_;
};

/// A loaded image in one context.
class Module : public std::enable_shared_from_this<Module> {
public:
    enum class Owner { Program, Library };
    /// Loads PTX text. Throws exec::LoadError.
    static CUmodule load(const std::shared_ptr<Context>& context, std::string_view ptx, Owner owner = Owner::Program);
    /// Unloads the module with its functions and variables. Throws CUDA_ERROR_INVALID_HANDLE.
    static void unload(CUmodule handle);
    static void unload_all(Context& context);

    Module(std::shared_ptr<Context> context, std::shared_ptr<const exec::Image> image, Owner owner);

    const std::shared_ptr<Context>& context() const noexcept { return context_; }
    const exec::Image& image() const noexcept { return *image_; }
    CUmodule handle() const noexcept { return handle_; }
    Owner owner() const noexcept { return owner_; }

    /// The handle of the named kernel, always the same one. Throws CUDA_ERROR_NOT_FOUND.
    CUfunction function(std::string_view name);
    std::vector<CUfunction> functions();
    /// Throws CUDA_ERROR_NOT_FOUND, and CUDA_ERROR_INVALID_VALUE for a reference, which has no memory.
    const exec::GlobalVariable& global(std::string_view name) const;
    /// The handle of the named reference, always the same one. Throws CUDA_ERROR_NOT_FOUND.
    CUtexref texture_reference(std::string_view name) const;
    CUsurfref surface_reference(std::string_view name) const;
    /// What a kernel launched now reads through its references.
    Bindings bind(const exec::KernelInfo& kernel) const;

private:
    struct NamedReference {
        std::uintptr_t handle;
        std::shared_ptr<const Reference> reference;
    };
    std::uintptr_t reference(std::string_view name, bool surface) const;
    void publish_references();
    CUfunction handle_of(const exec::Kernel* kernel);
    void publish_variables();
    void end();

    std::shared_ptr<Context> context_;
    std::shared_ptr<const exec::Image> image_;
    Owner owner_;
    CUmodule handle_ = nullptr;
    std::mutex mutex_;
    std::map<const exec::Kernel*, CUfunction> functions_;
    std::vector<NamedReference> references_;  ///< in the order of exec::Image::references()
};

inline Registry<Module, CUmodule>& modules() {
    return registry<Module, CUmodule>();
}
inline Registry<Function, CUfunction>& functions() {
    return registry<Function, CUfunction>();
}

}  // namespace cpu::state
