#pragma once

#include <Python.h>

#include "lifetime.hpp"
#include "pycuda/function.hpp"

/// Kernel arguments of a direct call: recognised by their type, packed into the parameter block.
namespace pycuda::python {

/// This thread's parameter block, or memory of its own while that is in use: arguments may run Python code, which may
/// launch.
class ArgumentBlock {
public:
    ArgumentBlock();
    ~ArgumentBlock();
    ArgumentBlock(const ArgumentBlock&) = delete;
    ArgumentBlock& operator=(const ArgumentBlock&) = delete;
    unsigned char* data() const noexcept { return data_; }
    /// What must live until the launch is queued.
    Owners& owners() noexcept { return owners_; }

private:
    bool& in_use_;  ///< whether the thread's own block is
    bool owned_;
    unsigned char* data_;
    Owners owners_;
};

/// Appends one argument, no ArgumentHandler, of work on `stream`. In this order: device memory, NumPy scalar, NumPy
/// array in managed memory, other arrays and structured scalars by value, pointer holder or device array, buffer by
/// value. ArgumentTypeError for anything else and for what does not fit the kernel. What must live until the launch
/// goes to `owners`.
void append_argument(ArgumentPacker& packer, const ParameterLayout& layout, PyObject* argument, Owners& owners,
                     CUstream stream);

/// Appends a device address.
void append_pointer(ArgumentPacker& packer, DevicePtr pointer, const char* given);

}  // namespace pycuda::python
