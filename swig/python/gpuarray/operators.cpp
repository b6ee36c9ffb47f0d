#include "gpuarray/operators.hpp"

#include <array>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/current.hpp"
#include "lifetime.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Kernel;
using pycuda::gpuarray::Kernels;
using pycuda::gpuarray::Op;

/// Python's operators, by the names of the functions in pycuda._arrays.operators. `fast` is the engine's operation of
/// the same meaning where there is a native path.
enum Operator {
    Add,
    Subtract,
    Multiply,
    TrueDivide,
    FloorDivide,
    Remainder,
    And,
    Or,
    Xor,
    LeftShift,
    RightShift,
    Power,
    Negative,
    Positive,
    Absolute,
    Invert,
    OperatorCount
};
constexpr const char* function_names[OperatorCount] = {
    "add",         "subtract",   "multiply",    "true_divide", "floor_divide", "remainder", "bitwise_and", "bitwise_or",
    "bitwise_xor", "left_shift", "right_shift", "power",       "negative",     "positive",  "absolute",    "invert"};
constexpr Op fast_operations[] = {Op::add, Op::sub, Op::mul, Op::div};
PyObject* functions[OperatorCount];

PyObject* call(Operator which, PyObject* x, PyObject* y, PyObject* out) {
    try {
        for (PyObject* operand : {x, y})
            if (is_array(operand)) form_of(as_array(operand));  // raises where there is none that an operation can use
    } catch (...) {
        translate_exception();
        return nullptr;
    }
    PyObject* const arguments[] = {x, y, out};
    return PyObject_Vectorcall(functions[which], arguments, out ? 3 : 2, nullptr);
}

/// Both can be walked in one go: dense, of one shape and one order.
bool same_dense(const Form& a, const Form& b) {
    if (&a == &b) return a.layout.is_dense();
    if (!a.layout.same_shape(b.layout)) return false;
    return (a.layout.is_c_contiguous() && b.layout.is_c_contiguous()) ||
           (a.layout.is_f_contiguous() && b.layout.is_f_contiguous());
}

/// Whether writing the result over `x` would change what is still to be read of `y`.
bool changes_operand(Array* x, Array* y) {
    const pycuda::gpuarray::ArrayRef out = ref_of(x), in = ref_of(y);
    return pycuda::gpuarray::overlaps_destructively(*out.layout, out.address, *in.layout, in.address);
}

/// x op y where it is a kernel that is there, on plain dense arrays; null without an exception where it is not. `out`
/// null: a new array.
PyObject* try_fast(Op op, Array* x, PyObject* other, Array* out) {
    Form* const form = x->form;
    if (!form || !form->fits || form->type == DType::Opaque || form->type == DType::Bool || form->layout.size() == 0)
        return nullptr;
    Array* const y = is_array(other) ? as_array(other) : nullptr;
    std::optional<Scalar> scalar;
    unsigned index;
    if (y) {
        if (!y->form || !y->form->fits || y->form->type == DType::Opaque || !same_dense(*form, *y->form))
            return nullptr;
        index = Kernels::array_index(y->form->type);
    } else {
        if (!form->layout.is_dense() || !(scalar = read_scalar(other))) return nullptr;
        index = Kernels::scalar_index(scalar->dtype(), scalar->is_weak());
    }
    const std::shared_ptr<Kernels> kernels = current_kernels();
    const Kernel* const kernel = kernels->dense(op, form->type, index);
    if (!kernel) return nullptr;
    if (scalar && !scalar->fits(kernel->compute)) return nullptr;
    if (out && (kernel->result != form->type || (y && y != x && changes_operand(x, y)))) return nullptr;
    Ref result;
    if (out) {
        result = borrow(as_object(out));
    } else {
        result.reset(as_object(new_like(x, kernel->result)));
        // A subclass makes results as it likes.
        Form& made = form_of(as_array(result.get()));
        if (made.type != kernel->result || !same_dense(*x->form, made)) return nullptr;
    }
    // No Python code runs from here on that could change what was looked at: gpudata are asked for their addresses
    // first.
    const DevicePtr to = address_of(as_array(result.get())), from = address_of(x);
    const auto n = static_cast<std::uint64_t>(form->layout.size());
    if (y)
        pycuda::gpuarray::launch_dense(*kernels, *kernel, to, from, address_of(y), n, nullptr);
    else
        pycuda::gpuarray::launch_dense(*kernels, *kernel, to, from, *scalar, n, nullptr);
    return result.release();
}

template <Operator which, bool in_place>
PyObject* binary(PyObject* x, PyObject* y) {
    if constexpr (which < std::size(fast_operations)) {
        if (is_array(x)) {
            try {
                if (PyObject* const result =
                        try_fast(fast_operations[which], as_array(x), y, in_place ? as_array(x) : nullptr))
                    return result;
            } catch (...) {
                translate_exception();
                return nullptr;
            }
        }
    }
    return call(which, x, y, in_place ? x : nullptr);
}

template <bool in_place>
PyObject* power(PyObject* x, PyObject* y, PyObject* modulus) {
    if (modulus != Py_None) {
        PyErr_SetString(PyExc_TypeError, "pow() of an array takes no modulus");
        return nullptr;
    }
    return call(Power, x, y, in_place ? x : nullptr);
}

template <Operator which>
PyObject* unary(PyObject* x) {
    try {
        form_of(as_array(x));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
    return PyObject_CallOneArg(functions[which], x);
}

template <class F>
void* slot(F* function) {
    return reinterpret_cast<void*>(function);
}

const std::array slots{
    PyType_Slot{Py_nb_add, slot(binary<Add, false>)},
    PyType_Slot{Py_nb_subtract, slot(binary<Subtract, false>)},
    PyType_Slot{Py_nb_multiply, slot(binary<Multiply, false>)},
    PyType_Slot{Py_nb_true_divide, slot(binary<TrueDivide, false>)},
    PyType_Slot{Py_nb_floor_divide, slot(binary<FloorDivide, false>)},
    PyType_Slot{Py_nb_remainder, slot(binary<Remainder, false>)},
    PyType_Slot{Py_nb_and, slot(binary<And, false>)},
    PyType_Slot{Py_nb_or, slot(binary<Or, false>)},
    PyType_Slot{Py_nb_xor, slot(binary<Xor, false>)},
    PyType_Slot{Py_nb_lshift, slot(binary<LeftShift, false>)},
    PyType_Slot{Py_nb_rshift, slot(binary<RightShift, false>)},
    PyType_Slot{Py_nb_inplace_add, slot(binary<Add, true>)},
    PyType_Slot{Py_nb_inplace_subtract, slot(binary<Subtract, true>)},
    PyType_Slot{Py_nb_inplace_multiply, slot(binary<Multiply, true>)},
    PyType_Slot{Py_nb_inplace_true_divide, slot(binary<TrueDivide, true>)},
    PyType_Slot{Py_nb_inplace_floor_divide, slot(binary<FloorDivide, true>)},
    PyType_Slot{Py_nb_inplace_remainder, slot(binary<Remainder, true>)},
    PyType_Slot{Py_nb_inplace_and, slot(binary<And, true>)},
    PyType_Slot{Py_nb_inplace_or, slot(binary<Or, true>)},
    PyType_Slot{Py_nb_inplace_xor, slot(binary<Xor, true>)},
    PyType_Slot{Py_nb_inplace_lshift, slot(binary<LeftShift, true>)},
    PyType_Slot{Py_nb_inplace_rshift, slot(binary<RightShift, true>)},
    PyType_Slot{Py_nb_power, slot(power<false>)},
    PyType_Slot{Py_nb_inplace_power, slot(power<true>)},
    PyType_Slot{Py_nb_negative, slot(unary<Negative>)},
    PyType_Slot{Py_nb_positive, slot(unary<Positive>)},
    PyType_Slot{Py_nb_absolute, slot(unary<Absolute>)},
    PyType_Slot{Py_nb_invert, slot(unary<Invert>)},
};

}  // namespace

std::span<const PyType_Slot> number_slots() noexcept {
    return slots;
}

int load_operators() {
    const Ref module(PyImport_ImportModule("pycuda._arrays.operators"));
    if (!module) return -1;
    for (int i = 0; i < OperatorCount; ++i) {
        Py_XSETREF(functions[i], PyObject_GetAttrString(module.get(), function_names[i]));
        if (!functions[i]) return -1;
    }
    return 0;
}

}  // namespace pycuda::python::gpuarray
