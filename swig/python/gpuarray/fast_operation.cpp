#include "gpuarray/fast_operation.hpp"

#include "host_functions.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::ArrayRef;
using pycuda::gpuarray::Current;
using pycuda::gpuarray::Kernel;
using pycuda::gpuarray::Kernels;

/// True if writing the result over `x` would change elements of `y` that are still to be read.
bool changes_operand(Array* x, const ArrayForm& form_of_x, Array* y, const ArrayForm& form_of_y, CUstream stream) {
    return pycuda::gpuarray::overlaps_destructively(form_of_x.layout, address_of(x, &stream), form_of_y.layout,
                                                    address_of(y, &stream));
}

/// A new array like `x`, created by Python code if a subclass defines it. Null if that is not a suitable array, or if
/// the operands have changed meanwhile.
Ref general_result(Array* x, Array* y, DType type) {
    const FormRef form(share(x->form)), form_of_y(y ? share(y->form) : nullptr);
    Ref result(as_object(new_result(x, x, form->layout, type, dtype_object(type))));
    const ArrayForm& made = form_of(as_array(result.get()));
    const bool as_asked = made.type == type && form->layout.same_dense(made.layout) &&
                          has_plain_address(as_array(result.get())) && x->form == form.get() && has_plain_address(x) &&
                          (!y || (y->form == form_of_y.get() && has_plain_address(y)));
    return as_asked ? std::move(result) : nullptr;
}

}  // namespace

PyObject* try_fast_operation(pycuda::gpuarray::Op op, pycuda::gpuarray::ResultType type, Array* x, PyObject* other,
                             Array* out) {
    Array* const y = other && is_array(other) ? as_array(other) : nullptr;
    std::optional<Scalar> scalar;
    if (!y && other && !(scalar = read_scalar(other))) return nullptr;
    // From here on, no foreign code can change the operands, except where general_result() says so.
    ArrayForm* const form = x->form;
    if (!form || !form->fits || !has_plain_address(x)) return nullptr;
    // Ordering an address after other streams may let another thread run, which may change the operands' forms.
    ArrayForm* const form_of_y = y ? static_cast<ArrayForm*>(y->form) : nullptr;
    const FormInUse use_x(form), use_y(form_of_y);
    ArrayRef a{0, &form->layout, form->type}, b;
    if (y) {
        if (!form_of_y || !form_of_y->fits || !has_plain_address(y)) return nullptr;
        if (Py_TYPE(x) != Py_TYPE(y) && differ_in_rules(Py_TYPE(x), Py_TYPE(y))) [[unlikely]]
            return nullptr;
        b = {0, &form_of_y->layout, form_of_y->type};
    }
    const ArrayRef* const second = y ? &b : nullptr;
    const Scalar* const number = scalar ? &*scalar : nullptr;
    const Current& now = pycuda::gpuarray::current();
    const CUstream stream = now.stream;
    const Kernels* kernels = now.kernels.get();
    const Kernel* const kernel = pycuda::gpuarray::fast_kernel(*kernels, op, type, a, second, number);
    if (!kernel) return nullptr;
    std::shared_ptr<Kernels> kept;  // while other Python code may run
    Ref result;
    if (out) {
        if (kernel->result != form->type || (y && y != x && changes_operand(x, *use_x, y, *use_y, stream)))
            return nullptr;
        result = borrow(as_object(out));
    } else if (Array* const quick = try_new_like(x, kernel->result, now)) {
        result.reset(as_object(quick));
    } else {
        kept = now.kernels;
        result = general_result(x, y, kernel->result);
        if (!result) return nullptr;
    }
    const DevicePtr to = address_of(as_array(result.get()), stream, now);
    a.address = address_of(x, stream, now);
    require_access(x, now, a.address);
    if (y) require_access(y, now, b.address = address_of(y, stream, now));
    bool is_launched = false;
    call_that_may_wait(
        [&] { is_launched = pycuda::gpuarray::launch_fast(*kernels, *kernel, to, a, second, number, stream); });
    return is_launched ? result.release() : nullptr;
}

}  // namespace pycuda::python::gpuarray
