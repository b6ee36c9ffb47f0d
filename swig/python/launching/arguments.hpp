#pragma once

#include <Python.h>

#include "lifetime.hpp"
#include "pycuda/kernels/function.hpp"
#include "pycuda/memory/device_memory.hpp"

/// Kernel arguments of a direct call, which are recognised by their type and packed into the parameter block.
namespace pycuda::python {

/// This thread's parameter block, or separate memory while that is in use: arguments may run Python code, which may
/// launch kernels.
class ArgumentBlock {
public:
    ArgumentBlock();
    ~ArgumentBlock();
    ArgumentBlock(const ArgumentBlock&) = delete;
    ArgumentBlock& operator=(const ArgumentBlock&) = delete;
    unsigned char* data() const noexcept { return data_; }
    /// Objects that must live until the launch is queued.
    Owners& owners() noexcept { return owners_; }

private:
    bool& in_use_;  ///< true while the thread's own block is in use
    bool owned_;
    unsigned char* data_;
    Owners owners_;
};

/// Appends one argument, not an ArgumentHandler, of work on `stream`. Checked in this order: device memory, NumPy
/// scalar, NumPy array in managed memory, other arrays and structured scalars by value, pointer holder or device array,
/// buffer by value. ArgumentTypeError for anything else, and for values that do not fit the kernel. Objects that must
/// live until the launch are added to `owners`.
void append_argument(ArgumentPacker& packer, const ParameterLayout& layout, PyObject* argument, Owners& owners,
                     CUstream stream);

/// Appends a device address.
void append_pointer(ArgumentPacker& packer, DevicePtr pointer, const char* given);

}  // namespace pycuda::python
