#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

#include "pycuda/constants/constants.hpp"
#include "pycuda/devices/device.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/launching/kernel_args.hpp"
#include "pycuda/modules/library.hpp"

namespace pycuda {

/// A kernel of a library, which it keeps alive. It belongs to no context: each has its own function for it.
class Kernel {
public:
    const std::string& name() const noexcept { return name_; }  ///< as a symbol (cuKernelGetName)
    std::shared_ptr<Library> library() const noexcept { return library_; }
    /// Offset and size of each parameter, in bytes (cuKernelGetParamInfo). Needs a current context, and a driver of
    /// CUDA 12.4.
    std::vector<KernelParameter> parameters() const;

    /// Its function in the current context (cuKernelGetFunction). For many launches, ask once.
    Function function() const;

    int get_attribute(FunctionAttribute attribute, const Device& device) const;  ///< cuKernelGetAttribute
    /// For all contexts of the device, except where the function's own attribute was set (cuKernelSetAttribute).
    void set_attribute(FunctionAttribute attribute, int value, const Device& device) const;
    void set_cache_config(FuncCache config, const Device& device) const;  ///< cuKernelSetCacheConfig

    CUkernel handle() const;  ///< LogicError if the library is closed

private:
    friend class Library;
    Kernel(std::shared_ptr<Library> library, std::string name, CUkernel kernel);
    std::shared_ptr<Library> library_;
    std::string name_;
    CUkernel kernel_;
};

}  // namespace pycuda
