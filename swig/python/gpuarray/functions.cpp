#include "gpuarray/functions.hpp"

#include <utility>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/plain.hpp"
#include "gpuarray/rearranging.hpp"
#include "gpuarray/texts.hpp"
#include "handle_types.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/geometry.hpp"
#include "pycuda/gpuarray/reduction.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::ArrayRef;
using pycuda::gpuarray::Input;
using pycuda::gpuarray::Kernels;
using pycuda::gpuarray::Op;

constexpr std::size_t most_operands = 4;

Array* checked_array(PyObject* object, const char* what) {
    if (is_array(object)) return as_array(object);
    PyErr_Format(PyExc_TypeError, "%s must be a GPUArray, not %s", what, Py_TYPE(object)->tp_name);
    throw PythonError{};
}

/// Operands of a call, which have to stay.
class Operands {
public:
    Operands() { uses_.reserve(2 * most_operands); }

    const ArrayRef& add(Array* array, CUstream stream) { return uses_.emplace_back(array, stream).ref(); }
    /// A packed copy of an operand whose memory the result's writes would change before they are read.
    const ArrayRef& add_copy(Kernels& kernels, Array* array, const ArrayRef& operand, CUstream stream) {
        const Ref method(PyObject_GetAttrString(as_object(array), "_new_packed"));
        Ref copy(method ? PyObject_CallOneArg(method.get(), uses_.back().form().dtype) : nullptr);
        if (!copy) throw PythonError{};
        const ArrayRef& copied = add(checked_array(copy.get(), "what _new_packed returns"), stream);
        pycuda::gpuarray::copy(kernels, copied, operand, stream);
        copies_.push_back(std::move(copy));
        return copied;
    }

private:
    std::vector<Use> uses_;
    std::vector<Ref> copies_;
};

/// apply(name, out, *operands, stream=None)
PyObject* apply(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
    const Py_ssize_t keyword_count = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    if (count < 3 || count > 2 + static_cast<Py_ssize_t>(most_operands) || keyword_count > 1) {
        PyErr_SetString(PyExc_TypeError, "apply(name, out, *operands, stream=None) takes 1 to 4 operands");
        return nullptr;
    }
    try {
        const char* const name = PyUnicode_AsUTF8(arguments[0]);
        if (!name) return nullptr;
        const Op op = pycuda::gpuarray::op_of_name(name);
        Array* const out = checked_array(arguments[1], "out");
        const CUstream stream = keyword_count ? stream_handle_of(arguments[count]) : nullptr;
        const std::shared_ptr<Kernels> kernels = pycuda::gpuarray::current_kernels();
        const Use of_out(out, stream);
        const ArrayRef& target = of_out.ref();
        Operands operands;
        std::vector<Input> inputs;
        inputs.reserve(most_operands);
        for (Py_ssize_t i = 2; i < count; ++i) {
            if (!is_array(arguments[i])) {
                const std::optional<Scalar> scalar = read_scalar(arguments[i]);
                if (!scalar) {
                    PyErr_Format(PyExc_TypeError, "%s: expected GPUArrays and numbers, given %s", name,
                                 Py_TYPE(arguments[i])->tp_name);
                    return nullptr;
                }
                inputs.emplace_back(*scalar);
                continue;
            }
            const ArrayRef& operand = operands.add(as_array(arguments[i]), stream);
            const bool overlaps = pycuda::gpuarray::overlaps_destructively(*target.layout, target.address,
                                                                           *operand.layout, operand.address);
            inputs.emplace_back(overlaps ? operands.add_copy(*kernels, as_array(arguments[i]), operand, stream)
                                         : operand);
        }
        if (op == Op::copy && inputs.size() == 1 && !inputs[0].is_scalar())
            pycuda::gpuarray::copy(*kernels, target, inputs[0].array(), stream);
        else
            pycuda::gpuarray::elementwise(*kernels, op, target, inputs, stream);
        Py_RETURN_NONE;
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

/// reduce(name, out, axes, *inputs, stream=None): axes is a bit mask.
PyObject* reduce(PyObject*, PyObject* const* arguments, Py_ssize_t count, PyObject* keywords) {
    const Py_ssize_t keyword_count = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    if (count < 4 || count > 5 || keyword_count > 1) {
        PyErr_SetString(PyExc_TypeError, "reduce(name, out, axes, *inputs, stream=None) takes 1 or 2 inputs");
        return nullptr;
    }
    try {
        const char* const name = PyUnicode_AsUTF8(arguments[0]);
        const unsigned long axes = PyLong_AsUnsignedLong(arguments[2]);
        if (!name || PyErr_Occurred()) return nullptr;
        const CUstream stream = keyword_count ? stream_handle_of(arguments[count]) : nullptr;
        Operands operands;
        std::vector<ArrayRef> inputs;
        for (Py_ssize_t i = 3; i < count; ++i)
            inputs.push_back(operands.add(checked_array(arguments[i], "input"), stream));
        const Use out(checked_array(arguments[1], "out"), stream);
        pycuda::gpuarray::reduce(*pycuda::gpuarray::current_kernels(), pycuda::gpuarray::reduction_of_name(name),
                                 out.ref(), inputs, static_cast<std::uint32_t>(axes), stream);
        Py_RETURN_NONE;
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

/// lowest(array, stream)
PyObject* lowest(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "array_lowest(array, stream)");
        return nullptr;
    }
    try {
        const Use use(checked_array(arguments[0], "what is copied"), stream_handle_of(arguments[1]));
        const ArrayRef& array = use.ref();
        return PyLong_FromUnsignedLongLong(array.address + static_cast<DevicePtr>(array.layout->lowest()));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyObject* splay_function(PyObject*, PyObject* args) {
    long long n;
    unsigned multiprocessors = 0, warp_size = 32;
    if (!PyArg_ParseTuple(args, "L|II:splay", &n, &multiprocessors, &warp_size)) return nullptr;
    try {
        const pycuda::gpuarray::Geometry geometry =
            multiprocessors ? pycuda::gpuarray::splay(n, multiprocessors, warp_size) : pycuda::gpuarray::splay(n);
        return Py_BuildValue("((Ii)(Iii))", geometry.blocks, 1, geometry.threads, 1, 1);
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

template <class F>
PyCFunction method(F* function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

}  // namespace

PyMethodDef array_functions[] = {
    {"array_type", array_type, METH_O, "array_type(cls)\n--\n\nGPUArray, of a class of methods."},
    {"array_apply", method(apply), METH_FASTCALL | METH_KEYWORDS,
     "array_apply(name, out, *operands, stream=None)\n--\n\nout = operation(operands), entry by entry."},
    {"array_reduce", method(reduce), METH_FASTCALL | METH_KEYWORDS,
     "array_reduce(name, out, axes, *inputs, stream=None)\n--\n\nReduces over the axes in a bit mask."},
    {"array_lowest", method(lowest), METH_FASTCALL,
     "array_lowest(array, stream)\n--\n\nThe address of the first byte of all entries, for work on the stream."},
    {"array_call", method(array_call), METH_FASTCALL,
     "array_call(name, arrays, numbers, stream)\n--\n\nGathers, scatters, scans, sorts."},
    {"scan_source", scan_source, METH_VARARGS, "The text of a scan by a program's expressions, and its geometry."},
    {"elementwise_source", elementwise_source, METH_VARARGS, "The text of an elementwise kernel."},
    {"vector_use", vector_use, METH_VARARGS, "How a kernel's code uses its parameters."},
    {"reduction_source", reduction_source, METH_VARARGS, "The text of a stage of a reduction."},
    {"reduction_geometry", reduction_geometry, METH_O, "(blocks, entries a thread) of a reduction."},
    {"random_source", random_source, METH_O, "The text of random number generators."},
    {"random_fill_kernel", random_fill_kernel, METH_VARARGS, "The kernel that fills entries of a type."},
    {"curand_version", curand_version, METH_NOARGS, "The version of cuRAND's library."},
    {"direction_vectors", direction_vectors, METH_VARARGS, "cuRAND's direction vectors, as bytes."},
    {"scramble_constants", scramble_constants, METH_VARARGS, "cuRAND's scramble constants, as bytes."},
    {"operation_code", operation_code, METH_O, "What map_like takes for an operation's name."},
    {"reduction_code", reduction_code, METH_O, "What reduce_all takes for a reduction's name."},
    {"plain_function", plain_function, METH_VARARGS,
     "plain_function(name, doc, general, module)\n--\n\nA function of one array."},
    {"map_like", method(map_like), METH_FASTCALL,
     "map_like(code, x[, y])\n--\n\nThe operation of plain arrays, else None."},
    {"reduce_all", method(reduce_all), METH_FASTCALL,
     "reduce_all(code, x)\n--\n\nThe reduction of a plain array, else None."},
    {"splay", splay_function, METH_VARARGS, "splay(n)\n--\n\n(grid, block) for n entries."},
    {}};

}  // namespace pycuda::python::gpuarray
