#include "gpuarray/fast_operation.hpp"

#include "host_functions.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Current;
using pycuda::gpuarray::Kernels;
using pycuda::gpuarray::PlainCall;

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
    PlainCall call;
    call.a = {0, &form->layout, form->type};
    call.scalar = scalar ? &*scalar : nullptr;
    if (y) {
        if (!form_of_y || !form_of_y->fits || !has_plain_address(y)) return nullptr;
        if (Py_TYPE(x) != Py_TYPE(y) && differ_in_rules(Py_TYPE(x), Py_TYPE(y))) [[unlikely]]
            return nullptr;
        call.b = {0, &form_of_y->layout, form_of_y->type};
    }
    const Current& now = pycuda::gpuarray::current();
    const CUstream stream = now.stream;
    const Kernels* kernels = now.kernels.get();
    if (!call.find(*kernels, op, type)) return nullptr;
    std::shared_ptr<Kernels> kept;  // while other Python code may run
    Ref result;
    if (out) {
        result = borrow(as_object(out));
    } else if (Array* const quick = try_new_like(x, call.kernel->result, now)) {
        result.reset(as_object(quick));
    } else {
        kept = now.kernels;
        result = general_result(x, y, call.kernel->result);
        if (!result) return nullptr;
    }
    const DevicePtr to = address_of(as_array(result.get()), stream, now);
    require_access(x, now, call.a.address = address_of(x, stream, now));
    if (y) require_access(y, now, call.b.address = address_of(y, stream, now));
    if (out && !call.fits({to, &form->layout, form->type})) return nullptr;
    bool is_launched = false;
    call_that_may_wait([&] { is_launched = call.launch(*kernels, to, stream); });
    return is_launched ? result.release() : nullptr;
}

}  // namespace pycuda::python::gpuarray
