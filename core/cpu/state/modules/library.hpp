#pragma once

#include "state/modules/module.hpp"
#include "state/registry.hpp"

#include <cuda.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cpu::state {

class Device;
class Library;

/// A kernel of a library; each context that uses it has its own function for it.
class LibraryKernel {
public:
    LibraryKernel(std::weak_ptr<Library> library, exec::KernelInfo info, std::size_t constant_bytes)
        : library_(std::move(library)), info_(std::move(info)), constant_bytes_(constant_bytes) {}
    const exec::KernelInfo& info() const noexcept { return info_; }
    std::shared_ptr<Library> library() const;
    /// Its function in `context`, in which the library is loaded first.
    CUfunction function(const std::shared_ptr<Context>& context) const;
    /// Throws what KernelAttributes::get throws.
    int attribute(const Device& device, CUfunction_attribute attribute);
    /// Also sets it in the functions of the device's contexts. Throws what KernelAttributes::set throws.
    void set_attribute(const Device& device, CUfunction_attribute attribute, int value);

private:
    friend class Library;
    /// The library's lock is held.
    KernelAttributes& attributes_on(const Device& device);

    std::weak_ptr<Library> library_;
    const exec::KernelInfo info_;
    const std::size_t constant_bytes_;
    std::map<int, KernelAttributes> attributes_;  ///< by the device's ordinal
};

/// Code that belongs to no context; each context that uses it gets a module of it.
class Library : public std::enable_shared_from_this<Library> {
public:
    /// Translates and registers it: in `context`, or without one, if that is null. A real driver may load lazily, but
    /// also reports invalid code at this call. Throws exec::LoadError.
    static CUlibrary load(std::string ptx, const std::shared_ptr<Context>& context);

    explicit Library(std::string ptx) : ptx_(std::move(ptx)) {}

    CUlibrary handle() const noexcept { return handle_; }
    /// The module in `context`, loaded at first use. Throws exec::LoadError.
    CUmodule module(const std::shared_ptr<Context>& context);
    /// The handle of the named kernel, always the same one. Throws CUDA_ERROR_NOT_FOUND.
    CUkernel kernel(const std::string& name) const;
    std::vector<CUkernel> kernels() const;
    /// The managed variable of this name in `context`, or in the first context that loaded the library, if that is
    /// null. Throws CUDA_ERROR_NOT_FOUND.
    exec::GlobalVariable managed(const std::shared_ptr<Context>& context, const std::string& name);
    /// Unloads all modules and kernels.
    void unload();

private:
    friend class LibraryKernel;
    struct NamedKernel {
        CUkernel handle;
        std::shared_ptr<LibraryKernel> kernel;
    };
    void read_kernels(const exec::Image& image);

    const std::string ptx_;
    CUlibrary handle_ = nullptr;        ///< set before the library is shared
    std::vector<NamedKernel> kernels_;  ///< the same, in the order of the text
    std::mutex mutex_;
    std::map<std::uint64_t, CUmodule> modules_;  ///< by the context's id
};

inline Registry<Library, CUlibrary>& libraries() {
    return registry<Library, CUlibrary>();
}
inline Registry<LibraryKernel, CUkernel>& kernels() {
    return registry<LibraryKernel, CUkernel>();
}

/// The function that a CUfunction argument refers to: one of a module, or a library's kernel in the current context.
/// Throws CUDA_ERROR_INVALID_HANDLE.
std::shared_ptr<Function> function_of(CUfunction handle);
/// The same, for a launch. Also throws the fault of its context.
std::shared_ptr<Function> launchable_function(CUfunction handle);

}  // namespace cpu::state
