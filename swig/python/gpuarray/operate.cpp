#include "gpuarray/operate.hpp"

#include <cmath>
#include <complex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/core_arrays.hpp"
#include "gpuarray/fast_operation.hpp"
#include "gpuarray/traced.hpp"
#include "handle_types.hpp"
#include "lifetime.hpp"
#include "numpy_scalars.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/fusing/trace.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::ArrayRef;
using pycuda::gpuarray::Casting;
using pycuda::gpuarray::Current;
using pycuda::gpuarray::Input;
using pycuda::gpuarray::Kernels;
using pycuda::gpuarray::max_inputs;
using pycuda::gpuarray::Op;
using pycuda::gpuarray::Plan;
using pycuda::gpuarray::ResultRule;
using pycuda::gpuarray::ResultType;

/// A number of numpy.longdouble or clongdouble, rounded to double, because the device has no wider type. Empty for
/// other objects.
std::optional<Scalar> read_long_double(PyObject* object, PyObject* dtype) {
    const Ref code(PyObject_GetAttrString(dtype, "char"));
    if (!code) throw PythonError{};
    const Py_UCS4 character = PyUnicode_READ_CHAR(code.get(), 0);
    if (character != 'g' && character != 'G') return std::nullopt;
    const Ref number(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), object));
    if (!number) throw PythonError{};
    const std::complex<double> value(PyComplex_RealAsDouble(number.get()), PyComplex_ImagAsDouble(number.get()));
    const double real = value.real();
    return character == 'G' ? Scalar::typed(DType::Complex128, &value) : Scalar::typed(DType::Float64, &real);
}

/// A number of Python or NumPy. Empty for other objects.
std::optional<Scalar> read_number(PyObject* object) {
    if (const auto scalar = read_scalar(object)) return scalar;
    if (const auto traced = traced_number(object)) return traced;
    if (PyComplex_Check(object)) return Scalar::weak({PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)});
    if (is_numpy_array(object)) {
        const Ref ndim(PyObject_GetAttrString(object, "ndim"));
        if (!ndim || PyLong_AsLong(ndim.get()) != 0) return std::nullopt;
        const Ref none(PyTuple_New(0));
        const Ref scalar(none ? PyObject_GetItem(object, none.get()) : nullptr);
        if (!scalar) throw PythonError{};
        return is_numpy_array(scalar.get()) ? std::nullopt : read_number(scalar.get());
    }
    const bool is_huge = PyLong_Check(object);
    if (!is_huge) {
        if (!is_numpy_scalar(object)) return std::nullopt;
        const Ref dtype(PyObject_GetAttrString(object, "dtype"));
        if (!dtype) throw PythonError{};
        if (dtype_code(dtype.get()) != DType::BFloat16) return read_long_double(object, dtype.get());
    }
    const Ref number(PyNumber_Float(object));
    if (!number) throw PythonError{};
    return Scalar::weak(PyFloat_AS_DOUBLE(number.get()));
}

/// The operands, all read before their layouts are used, because reading numbers may run foreign code.
class Operands {
public:
    /// False if one is neither an array nor a number.
    bool read(Op op, std::span<PyObject* const> objects) {
        for (PyObject* object : objects) {
            Operand& operand = operands_[count_++];
            if (is_array(object)) {
                operand.array = as_array(object);
                require_same_rules(Py_TYPE(first()), Py_TYPE(object));
                continue;
            }
            operand.number = read_number(object);
            if (!operand.number) return false;
            if (PyLong_Check(object) && operand.number->dtype() == DType::Float64)
                operand.huge = PyLong_AsDouble(object);
        }
        convert_huge(op);
        for (std::size_t k = 0; k < count_; ++k) {
            Operand& operand = operands_[k];
            if (operand.array) operand.form.reset(share(&form_of(operand.array)));
            inputs_[k] =
                operand.array ? Input(ArrayRef{0, &operand.form->layout, operand.form->type}) : Input(*operand.number);
        }
        return true;
    }

    std::span<const Input> without_addresses() const { return {inputs_, count_}; }

    /// Called once there is memory for the result, which foreign code may have allocated.
    std::span<const Input> with_addresses(const Current& now, CUstream stream) {
        for (std::size_t k = 0; k < count_; ++k) {
            Operand& operand = operands_[k];
            if (!operand.array) continue;
            const Use& use = operand.use.emplace(operand.array, stream, &now);
            if (&use.form() != operand.form.get()) raise_form_changed();
            inputs_[k] = Input(use.ref());
        }
        return {inputs_, count_};
    }

    Array* first() const noexcept {
        for (const Operand& operand : operands_)
            if (operand.array) return operand.array;
        return nullptr;
    }
    Array* at(int k) const noexcept { return k < 0 ? nullptr : operands_[k].array; }

    /// The operation recorded, if an operand is traced; else null.
    PyObject* try_record(Op op, ResultType type, const PyObject* out) const {
        bool traced = false;
        for (std::size_t k = 0; k < count_; ++k) traced |= operands_[k].array && is_traced(operands_[k].array);
        if (!traced) return nullptr;
        if (out) throw pycuda::gpuarray::CannotFuse("it writes into an array; compute a new one instead");
        std::optional<pycuda::gpuarray::Array> arrays[pycuda::gpuarray::max_inputs];
        std::vector<pycuda::gpuarray::Operand> list;
        for (std::size_t k = 0; k < count_; ++k)
            if (operands_[k].array)
                list.emplace_back(&arrays[k].emplace(core_array(operands_[k].array)));
            else
                list.emplace_back(*operands_[k].number);
        const auto made = pycuda::gpuarray::apply(op, list, type, nullptr);
        return new_traced(*made, dtype_object(made->dtype()), Py_TYPE(first()));
    }

    /// The dtype of a result of this type; for a structure, the operands' common dtype.
    PyObject* dtype_of(DType type) const {
        if (type != DType::Opaque) return dtype_object(type);
        PyObject* structure = nullptr;
        for (const Operand& operand : operands_) {
            if (!operand.array || operand.form->type != DType::Opaque) continue;
            const int same = structure ? PyObject_RichCompareBool(structure, operand.form->dtype, Py_EQ) : 1;
            if (same < 0) throw PythonError{};
            if (!same) {
                PyErr_Format(PyExc_TypeError, "structures of %S and %S have no common dtype", structure,
                             operand.form->dtype);
                throw PythonError{};
            }
            structure = operand.form->dtype;
        }
        return structure;
    }

private:
    /// Integers that no integer type can hold: beside floating-point arrays they are such numbers, and comparisons with
    /// integers and conditions only depend on their sign.
    void convert_huge(Op op) {
        const ResultRule rule = info(op).rule;
        const std::size_t conditions = rule == ResultRule::Choice ? 1 : 0;
        bool only_integers = op != Op::copy;  // which depends on the result's type
        for (std::size_t k = conditions; k < count_; ++k) {
            if (!operands_[k].array) continue;
            const DType type = form_of(operands_[k].array).type;
            only_integers &= type == DType::Opaque || (!is_floating(type) && !is_complex(type));
        }
        for (std::size_t k = 0; k < count_; ++k) {
            Operand& operand = operands_[k];
            if (operand.huge == 0) continue;
            if (k < conditions || (only_integers && rule == ResultRule::Boolean))
                operand.number = Scalar::weak(std::copysign(HUGE_VAL, operand.huge));
            else if (only_integers || (k == 1 && rule == ResultRule::FirstFloating))
                operand.number = Scalar::weak_huge(operand.huge);
        }
    }

    struct Operand {
        Array* array = nullptr;
        double huge = 0;  ///< of an integer that no integer type can hold
        FormRef form;
        std::optional<Scalar> number;
        std::optional<Use> use;
    };
    std::size_t count_ = 0;
    Operand operands_[max_inputs];
    Input inputs_[max_inputs];
};

/// The array that receives the result.
Ref result_of(const Plan& plan, const Operands& operands, PyObject* out, Casting casting) {
    if (out) {
        if (!is_array(out)) {
            PyErr_Format(PyExc_TypeError, "out must be a GPUArray, not %s", Py_TYPE(out)->tp_name);
            throw PythonError{};
        }
        const FormRef form(share(&form_of(as_array(out))));
        plan.check_out(form->layout, form->type, casting);
        if (plan.result != DType::Opaque) return borrow(out);
        const int same = PyObject_RichCompareBool(form->dtype, operands.dtype_of(plan.result), Py_EQ);
        if (!same) PyErr_Format(PyExc_TypeError, "out has dtype %S, not that of the structures", form->dtype);
        if (same != 1) throw PythonError{};
        return borrow(out);
    }
    PyObject* const dtype = operands.dtype_of(plan.result);
    Ref result(as_object(new_result(operands.first(), operands.at(plan.like), plan.layout, plan.result, dtype)));
    if (!form_of(as_array(result.get())).layout.same_shape(plan.layout)) {
        PyErr_SetString(PyExc_ValueError, "_new_like_me must return an array of the same shape");
        throw PythonError{};
    }
    return result;
}

Casting casting_of(PyObject* code) {
    const long number = PyLong_AsLong(code);
    if (number == -1 && PyErr_Occurred()) throw PythonError{};
    if (number < 0 || number > static_cast<long>(Casting::Unsafe))
        throw std::invalid_argument("no such rule of casting");
    return static_cast<Casting>(number);
}

std::span<PyObject* const> operands_of(PyObject* tuple) {
    if (PyTuple_Check(tuple) && PyTuple_GET_SIZE(tuple) >= 1 &&
        PyTuple_GET_SIZE(tuple) <= static_cast<Py_ssize_t>(max_inputs))
        return {&PyTuple_GET_ITEM(tuple, 0), static_cast<std::size_t>(PyTuple_GET_SIZE(tuple))};
    PyErr_SetString(PyExc_TypeError, "an operation takes 1 to 4 operands");
    throw PythonError{};
}

}  // namespace

ResultType result_type(PyObject* type) {
    if (type == Py_None) return ResultType::Usual;
    if (!PyLong_CheckExact(type)) {
        const Ref dtype(to_dtype(type));
        return dtype_code(dtype.get());
    }
    const long rule = PyLong_AsLong(type);
    if (rule < 0 || rule > ResultType::First) {
        PyErr_SetString(PyExc_ValueError, "no such rule for the type of a result");
        throw PythonError{};
    }
    return static_cast<ResultType::Rule>(rule);
}

Op operation_of_code(PyObject* code) {
    const long number = PyLong_AsLong(code);
    if (PyErr_Occurred()) throw PythonError{};
    if (number < 0 || number >= pycuda::gpuarray::op_count) throw std::invalid_argument("no such operation");
    return static_cast<Op>(number);
}

PyObject* operate(Op op, ResultType type, std::span<PyObject* const> objects, PyObject* out, CUstream stream,
                  Casting casting) {
    if (!stream) stream = pycuda::gpuarray::stream_in_use();
    if (objects.size() != static_cast<std::size_t>(info(op).arity)) {
        PyErr_Format(PyExc_TypeError, "'%s' takes %d operands, given %zu", info(op).name, info(op).arity,
                     objects.size());
        throw PythonError{};
    }
    Operands operands;
    if (!operands.read(op, objects)) return borrow(Py_NotImplemented).release();
    if (!operands.first() && !out) {
        PyErr_Format(PyExc_TypeError, "%s: expected at least one GPUArray", info(op).name);
        throw PythonError{};
    }
    if (pycuda::gpuarray::any_trace_is_open()) [[unlikely]]
        if (PyObject* const recorded = operands.try_record(op, type, out)) return recorded;
    const Plan plan = pycuda::gpuarray::plan(op, operands.without_addresses(), type);
    const Current& now = pycuda::gpuarray::current();
    const std::shared_ptr<Kernels> kernels = now.kernels;
    Ref result = result_of(plan, operands, out, casting);
    const Use use(as_array(result.get()), stream, &now);
    if (!plan.fits(use.form().layout)) raise_form_changed();
    pycuda::gpuarray::run(*kernels, op, use.ref(), operands.with_addresses(now, stream), stream);
    return result.release();
}

PyObject* array_operate(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 6) {
        PyErr_SetString(PyExc_TypeError, "array_operate(code, operands, type, out, stream, casting)");
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        const Op op = operation_of_code(arguments[0]);
        const std::span<PyObject* const> operands = operands_of(arguments[1]);
        const ResultType type = result_type(arguments[2]);
        PyObject* const out = arguments[3] == Py_None ? nullptr : arguments[3];
        const CUstream stream = stream_handle_of(arguments[4]);
        const Casting casting = casting_of(arguments[5]);
        PyObject* const second = operands.size() == 2 ? operands[1] : nullptr;
        if (!out && !stream && operands.size() <= 2 && is_array(operands[0]))
            if (PyObject* const result = try_fast_operation(op, type, as_array(operands[0]), second, nullptr))
                return result;
        return operate(op, type, operands, out, stream, casting);
    });
}

PyObject* array_write(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 4 || !is_array(arguments[1])) {
        PyErr_SetString(PyExc_TypeError, "array_write(code, out, operands, stream)");
        return nullptr;
    }
    return guarded([&]() -> PyObject* {
        const Op op = operation_of_code(arguments[0]);
        const CUstream stream = stream_of_operation(arguments[3]);
        Operands operands;
        if (!operands.read(op, operands_of(arguments[2]))) {
            PyErr_Format(PyExc_TypeError, "%s: expected GPUArrays and numbers", info(op).name);
            return nullptr;
        }
        const Current& now = pycuda::gpuarray::current();
        const std::shared_ptr<Kernels> kernels = now.kernels;
        const Use out(as_array(arguments[1]), stream, &now);
        pycuda::gpuarray::run(*kernels, op, out.ref(), operands.with_addresses(now, stream), stream);
        Py_RETURN_NONE;
    });
}

}  // namespace pycuda::python::gpuarray
