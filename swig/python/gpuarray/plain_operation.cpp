#include "gpuarray/plain_operation.hpp"

#include "gpuarray/current.hpp"
#include "lifetime.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Kernel;
using pycuda::gpuarray::Kernels;

/// Whether writing the result over `x` would change what is still to be read of `y`.
bool changes_operand(Array* x, Array* y) {
    const pycuda::gpuarray::ArrayRef out = ref_of(x), in = ref_of(y);
    return pycuda::gpuarray::overlaps_destructively(*out.layout, out.address, *in.layout, in.address);
}

/// A new array like `x`, made by Python code where a subclass has some; null when it is not what was asked for.
Ref general_result(Array* x, DType type) {
    Ref result(as_object(new_like(x, type)));
    const Form& made = form_of(as_array(result.get()));
    return made.type == type && x->form->layout.same_dense(made.layout) ? std::move(result) : nullptr;
}

}  // namespace

PyObject* try_plain_operation(pycuda::gpuarray::Op op, ResultType type, Array* x, PyObject* other, Array* out) {
    Form* const form = x->form;
    if (!form || !form->fits || form->type == DType::Opaque || form->type == DType::Bool || form->layout.size() == 0)
        return nullptr;
    Array* const y = other && is_array(other) ? as_array(other) : nullptr;
    Form* const form_of_y = y ? y->form : nullptr;
    std::optional<Scalar> scalar;
    unsigned index = Kernels::no_operand;
    if (y) {
        // Comparisons give the common type, which the first operand's need not be.
        if (type == ResultType::First && !out && y->form && y->form->type != form->type) return nullptr;
        if (!y->form || !y->form->fits || y->form->type == DType::Opaque || !form->layout.same_dense(y->form->layout))
            return nullptr;
        index = Kernels::array_index(y->form->type);
    } else {
        if (!form->layout.is_dense()) return nullptr;
        if (other) {
            if (!(scalar = read_scalar(other))) return nullptr;
            index = Kernels::scalar_index(scalar->dtype(), scalar->is_weak());
        }
    }
    const Current& now = current();
    const Kernels* kernels = now.kernels.get();
    const Kernel* const kernel = kernels->dense(op, form->type, index, type == ResultType::First);
    if (!kernel) return nullptr;
    if (scalar && !scalar->fits(kernel->compute)) return nullptr;
    std::shared_ptr<Kernels> kept;  // while other Python code may run
    Ref result;
    if (out) {
        if (kernel->result != form->type || (y && y != x && changes_operand(x, y))) return nullptr;
        result = borrow(as_object(out));
    } else if (Array* const quick = try_new_like(x, kernel->result, *now.pool)) {
        result.reset(as_object(quick));
    } else {
        kept = now.kernels;
        result = general_result(x, kernel->result);
        if (!result || x->form != form || (y && y->form != form_of_y)) return nullptr;
    }
    // No Python code runs from here on that could change what was looked at: gpudata are asked for their addresses
    // first.
    const DevicePtr to = address_of(as_array(result.get())), from = address_of(x);
    const auto n = static_cast<std::uint64_t>(form->layout.size());
    if (y)
        pycuda::gpuarray::launch_dense(*kernels, *kernel, to, from, address_of(y), n, nullptr);
    else if (scalar)
        pycuda::gpuarray::launch_dense(*kernels, *kernel, to, from, *scalar, n, nullptr);
    else
        pycuda::gpuarray::launch_dense(*kernels, *kernel, to, from, n, nullptr);
    return result.release();
}

}  // namespace pycuda::python::gpuarray
