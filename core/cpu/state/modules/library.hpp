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

class Library;

/// A kernel of a library; each context that uses it has its own function for it.
class LibraryKernel {
public:
    LibraryKernel(std::weak_ptr<Library> library, std::string name)
        : library_(std::move(library)), name_(std::move(name)) {}
    const std::string& name() const noexcept { return name_; }
    std::shared_ptr<Library> library() const;
    /// Its function in `context`, in which the library is loaded first.
    CUfunction function(const std::shared_ptr<Context>& context) const;

private:
    std::weak_ptr<Library> library_;
    std::string name_;
};

/// Code that belongs to no context; each context that uses it gets a module of it.
class Library : public std::enable_shared_from_this<Library> {
public:
    explicit Library(std::string ptx) : ptx_(std::move(ptx)) {}

    CUlibrary handle = nullptr;  ///< set once, before the library is shared
    /// The module in `context`, loaded at first use. Throws exec::LoadError.
    CUmodule module(const std::shared_ptr<Context>& context);
    /// The handle of the named kernel, always the same one. Throws CUDA_ERROR_NOT_FOUND.
    CUkernel kernel(const std::shared_ptr<Context>& context, const std::string& name);
    std::vector<CUkernel> kernels(const std::shared_ptr<Context>& context);
    /// Unloads all modules and kernels.
    void unload();

private:
    std::string ptx_;
    std::mutex mutex_;
    std::map<std::uint64_t, CUmodule> modules_;  ///< by the context's id
    std::map<std::string, CUkernel> kernels_;
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
