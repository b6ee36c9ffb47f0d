#include "gpuarray/plain_operation.hpp"

#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::ArrayRef;
using pycuda::gpuarray::Current;
using pycuda::gpuarray::Kernel;
using pycuda::gpuarray::Kernels;

/// Whether writing the result over `x` would change what is still to be read of `y`.
bool changes_operand(Array* x, Array* y) {
    const ArrayRef out = ref_of(x), in = ref_of(y);
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
    if (!form || !form->fits) return nullptr;
    Array* const y = other && is_array(other) ? as_array(other) : nullptr;
    Form* const form_of_y = y ? y->form : nullptr;
    std::optional<Scalar> scalar;
    ArrayRef a{0, &form->layout, form->type}, b;
    if (y) {
        if (!form_of_y || !form_of_y->fits) return nullptr;
        // Comparisons give the common type, which the first operand's need not be.
        if (type == ResultType::First && !out && form_of_y->type != form->type) return nullptr;
        b = {0, &form_of_y->layout, form_of_y->type};
    } else if (other && !(scalar = read_scalar(other))) {
        return nullptr;
    }
    const ArrayRef* const second = y ? &b : nullptr;
    const Scalar* const number = scalar ? &*scalar : nullptr;
    const Current& now = pycuda::gpuarray::current();
    const Kernels* kernels = now.kernels.get();
    const Kernel* const kernel =
        pycuda::gpuarray::plain_kernel(*kernels, op, type == ResultType::First, a, second, number);
    if (!kernel) return nullptr;
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
    const DevicePtr to = address_of(as_array(result.get()));
    a.address = address_of(x);
    if (y) b.address = address_of(y);
    if (!pycuda::gpuarray::launch_plain(*kernels, *kernel, to, a, second, number, nullptr)) return nullptr;
    return result.release();
}

}  // namespace pycuda::python::gpuarray
