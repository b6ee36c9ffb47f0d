// The hot path: a kernel that was found, on operands that need no looking into.

#include "arguments.hpp"
#include "device_types.hpp"
#include "pycuda/gpuarray/elementwise.hpp"

namespace pycuda::gpuarray {

void add_scalar(Arguments& arguments, const Scalar& scalar, DType dtype) {
    const DType passed = arithmetic_dtype(dtype);
    scalar.store(passed, arguments.reserve(info(passed).size, alignment_of(passed)));
}

void launch_dense(const Kernels& kernels, const Kernel& kernel, DevicePtr out, DevicePtr a, std::uint64_t n,
                  CUstream stream) {
    const struct {
        DevicePtr out, a;
        std::uint64_t n;
    } arguments{out, a, n};
    kernels.launch(kernel, (n + kernel.elements - 1) / kernel.elements, dense_threads, &arguments, sizeof arguments,
                   stream);
}

void launch_dense(const Kernels& kernels, const Kernel& kernel, DevicePtr out, DevicePtr a, DevicePtr b,
                  std::uint64_t n, CUstream stream) {
    const struct {
        DevicePtr out, a, b;
        std::uint64_t n;
    } arguments{out, a, b, n};
    kernels.launch(kernel, (n + kernel.elements - 1) / kernel.elements, dense_threads, &arguments, sizeof arguments,
                   stream);
}

void launch_dense(const Kernels& kernels, const Kernel& kernel, DevicePtr out, DevicePtr a, const Scalar& b,
                  std::uint64_t n, CUstream stream) {
    Arguments arguments;
    arguments.add(out);
    arguments.add(a);
    add_scalar(arguments, b, kernel.compute);
    arguments.add(n);
    kernels.launch(kernel, (n + kernel.elements - 1) / kernel.elements, dense_threads, arguments.data(),
                   arguments.size(), stream);
}

}  // namespace pycuda::gpuarray
