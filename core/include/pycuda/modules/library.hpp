#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/modules/jit.hpp"
#include "pycuda/modules/module.hpp"

namespace pycuda {

class Kernel;

/// Loaded code that belongs to no context: loading it needs none, and each context that uses it gets a module of it,
/// when CUDA_MODULE_LOADING says so (Module::loading_mode). Held by std::shared_ptr: its kernels, modules and
/// functions keep it alive. Needs a driver of CUDA 12.0. Thread-safe.
class Library : public std::enable_shared_from_this<Library> {
public:
    /// PTX text, cubin or fatbin from a file. RuntimeError if it cannot be read.
    static std::shared_ptr<Library> from_file(const std::string& filename, const std::vector<JitSetting>& options = {},
                                              JitLog* log = nullptr);
    /// PTX text (a missing NUL is added), cubin or fatbin from `nbytes` bytes (cuLibraryLoadData). A failure's message
    /// carries the error log. `log`, if given, is filled on success and on failure.
    static std::shared_ptr<Library> from_buffer(const void* image, std::size_t nbytes,
                                                const std::vector<JitSetting>& options = {}, JitLog* log = nullptr);
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    /// LogicError, which names the kernel and lists the existing ones, if there is none of that name
    /// (cuLibraryGetKernel).
    Kernel get_kernel(const std::string& name);
    /// All kernels (cuLibraryEnumerateKernels). Needs a driver of CUDA 12.4.
    std::vector<Kernel> kernels();
    /// Its module in the current context, which cannot be unloaded alone: the same object while it is in use
    /// (cuLibraryGetModule).
    std::shared_ptr<Module> module();
    /// A variable in the current context (cuLibraryGetGlobal).
    GlobalSymbol get_global(const std::string& name) const;
    /// A managed variable, which all contexts share (cuLibraryGetManaged). LogicError before a context has loaded the
    /// library.
    GlobalSymbol get_managed(const std::string& name) const;
    /// The address of a function that devices and host share (cuLibraryGetUnifiedFunction). LogicError if no device has
    /// such functions (DeviceAttribute::UNIFIED_FUNCTION_POINTERS).
    std::uint64_t get_unified_function(const std::string& name) const;

    CUlibrary handle() const;  ///< LogicError after close
    /// Unload now; launches that other threads are queueing, and graphs that use its kernels, end first. Its modules
    /// and functions are unusable afterwards. Idempotent.
    void close() noexcept;

private:
    friend class Kernel;
    struct Loaded;
    explicit Library(CUlibrary library);
    std::shared_ptr<Loaded> loaded() const;

    mutable std::mutex mutex_;
    std::shared_ptr<Loaded> loaded_;              ///< null after close
    std::vector<std::weak_ptr<Module>> modules_;  ///< one for each context that uses it
};

}  // namespace pycuda
