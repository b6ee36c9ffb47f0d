#include "gpuarray/rearranging.hpp"

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "handle_types.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/gather.hpp"
#include "pycuda/gpuarray/matmul.hpp"
#include "pycuda/gpuarray/random.hpp"
#include "pycuda/gpuarray/scan.hpp"
#include "pycuda/gpuarray/sort.hpp"

namespace pycuda::python::gpuarray {
namespace {

using namespace pycuda::gpuarray;
using Arrays = std::span<const ArrayRef>;
using Numbers = std::span<const long long>;

struct Call {
    std::string_view name;
    Py_ssize_t arrays, numbers;
    void (*run)(Kernels& kernels, Arrays a, Numbers n, CUstream stream);
    Py_ssize_t may_be_none = 0;  ///< how many of the first arrays, of which there then is none
};

constexpr Call calls[] = {
    {"take", 3, 0, [](Kernels& k, Arrays a, Numbers, CUstream s) { take(k, a[0], a[1], a[2], s); }},
    {"put", 3, 0, [](Kernels& k, Arrays a, Numbers, CUstream s) { put(k, a[0], a[1], a[2], s); }},
    {"take_put", 4, 1,
     [](Kernels& k, Arrays a, Numbers n, CUstream s) { take_put(k, a[0], a[1], a[2], a[3], n[0], s); }},
    {"random", 1, 1,
     [](Kernels& k, Arrays a, Numbers n, CUstream s) { random_fill(k, a[0], static_cast<std::uint64_t>(n[0]), s); }},
    {"nonzero", 2, 0, [](Kernels& k, Arrays a, Numbers, CUstream s) { nonzero(k, a[0], a[1], s); }},
    {"compress", 3, 0, [](Kernels& k, Arrays a, Numbers, CUstream s) { compress(k, a[0], a[1], a[2], s); }},
    {"expand", 3, 0, [](Kernels& k, Arrays a, Numbers, CUstream s) { expand(k, a[0], a[1], a[2], s); }},
    {"sort", 3, 0, [](Kernels& k, Arrays a, Numbers, CUstream s) { sort(k, a[0], a[1], a[2], s); }, 2},
    {"matmul", 3, 0, [](Kernels& k, Arrays a, Numbers, CUstream s) { matmul(k, a[0], a[1], a[2], s); }},
    {"mark_first", 2, 0, [](Kernels& k, Arrays a, Numbers, CUstream s) { mark_first(k, a[0], a[1], s); }},
    {"prepare_selection", 2, 0, [](Kernels& k, Arrays a, Numbers, CUstream) { prepare_selection(k, a[0], a[1]); }, 1},
    {"prepare_distinct", 1, 0, [](Kernels& k, Arrays a, Numbers, CUstream) { prepare_distinct(k, a[0]); }},
    {"cumulative_sum", 2, 1,
     [](Kernels& k, Arrays a, Numbers n, CUstream s) {
         scan(k, Scan::sum, ScanKind::Inclusive, a[0], a[1], static_cast<int>(n[0]), s);
     }},
    {"cumulative_product", 2, 1,
     [](Kernels& k, Arrays a, Numbers n, CUstream s) {
         scan(k, Scan::prod, ScanKind::Inclusive, a[0], a[1], static_cast<int>(n[0]), s);
     }},
};

const Call& find_call(PyObject* name, PyObject* arrays, PyObject* numbers) {
    const char* const text = PyUnicode_AsUTF8(name);
    if (!text) throw PythonError{};
    for (const Call& call : calls)
        if (call.name == text && PyTuple_Check(arrays) && PyTuple_GET_SIZE(arrays) == call.arrays &&
            PyTuple_Check(numbers) && PyTuple_GET_SIZE(numbers) == call.numbers)
            return call;
    PyErr_Format(PyExc_TypeError, "there is no call '%s' of these arguments", text);
    throw PythonError{};
}

}  // namespace

PyObject* array_call(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "array_call(name, arrays, numbers, stream)");
        return nullptr;
    }
    try {
        const Call& call = find_call(arguments[0], arguments[1], arguments[2]);
        const CUstream stream = stream_handle_of(arguments[3]);
        std::array<ArrayRef, 4> arrays{};
        std::vector<Use> uses;
        uses.reserve(arrays.size());
        for (Py_ssize_t i = 0; i < call.arrays; ++i) {
            PyObject* const object = PyTuple_GET_ITEM(arguments[1], i);
            if (object == Py_None && i < call.may_be_none) continue;
            if (!is_array(object)) {
                PyErr_Format(PyExc_TypeError, "expected a GPUArray, given %s", Py_TYPE(object)->tp_name);
                return nullptr;
            }
            arrays[static_cast<std::size_t>(i)] = uses.emplace_back(as_array(object), stream).ref();
        }
        std::array<long long, 1> numbers{};
        for (Py_ssize_t i = 0; i < call.numbers; ++i) {
            numbers[static_cast<std::size_t>(i)] = PyLong_AsLongLong(PyTuple_GET_ITEM(arguments[2], i));
            if (PyErr_Occurred()) return nullptr;
        }
        call.run(*pycuda::gpuarray::current_kernels(), arrays, numbers, stream);
        Py_RETURN_NONE;
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyObject* scan_source(PyObject*, PyObject* args) {
    const char *type, *expression, *neutral, *preamble, *parameters, *input, *output, *segment_start, *name;
    Py_ssize_t itemsize;
    int find_last;
    if (!PyArg_ParseTuple(args, "snssssssssp:scan_source", &type, &itemsize, &expression, &neutral, &preamble,
                          &parameters, &input, &output, &segment_start, &name, &find_last))
        return nullptr;
    try {
        const ScanText text{
            name,   type,         static_cast<std::size_t>(itemsize), expression, neutral, preamble, parameters, input,
            output, segment_start};
        const ScanKernelSource source(find_last ? text.finding_last() : text);
        const std::size_t once = source.scratch_bytes(0);
        return Py_BuildValue("(ssIInn)", source.text().c_str(), source.name().c_str(), source.threads(), source.tile(),
                             static_cast<Py_ssize_t>(once), static_cast<Py_ssize_t>(source.scratch_bytes(1) - once));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

}  // namespace pycuda::python::gpuarray
