#include "gpuarray/rearranging.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/core_arrays.hpp"
#include "handle_types.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/moving.hpp"
#include "pycuda/gpuarray/random.hpp"
#include "pycuda/gpuarray/rearranging.hpp"
#include "pycuda/gpuarray/reduction.hpp"
#include "pycuda/gpuarray/sets.hpp"
#include "pycuda/gpuarray/sort.hpp"
#include "pycuda/gpuarray/spread.hpp"

namespace pycuda::python::gpuarray {
namespace {

namespace core = pycuda::gpuarray;
using Arrays = std::span<const core::Array>;
using Numbers = std::span<const long long>;

/// None, an array, or a tuple of arrays.
struct Result {
    Result(std::nullopt_t) {}
    Result(core::Array array) { arrays.push_back(std::move(array)); }
    Result(core::UniqueElements found)
        : arrays{std::move(found.values), std::move(found.indices), std::move(found.inverse), std::move(found.counts)} {
    }
    std::vector<core::Array> arrays;
};

constexpr Py_ssize_t any_number = -1;

/// A function of the core's on arrays, by its name there. What it writes to comes first.
struct Call {
    std::string_view name;
    Py_ssize_t arrays, numbers;
    Result (*run)(Arrays a, Numbers n, CUstream stream);
};

int axis_of(long long number) {
    return static_cast<int>(number);
}

/// A list of numbers that begins with how many belong to the first of its two parts.
struct TwoLists {
    explicit TwoLists(Numbers numbers) {
        const auto first_count = static_cast<std::size_t>(numbers[0]);
        first.assign(numbers.begin() + 1, numbers.begin() + 1 + numbers[0]);
        second.assign(numbers.begin() + 1 + static_cast<std::ptrdiff_t>(first_count), numbers.end());
    }
    std::vector<std::int64_t> first, second;
};

constexpr Call calls[] = {
    {"taken", 2, 0, [](Arrays a, Numbers, CUstream s) -> Result { return taken(a[0], a[1], s); }},
    {"take_into", 3, 0,
     [](Arrays a, Numbers, CUstream s) -> Result { return take_into(a[0], a[1], a[2], s), std::nullopt; }},
    {"put_into", 3, 0,
     [](Arrays a, Numbers, CUstream s) -> Result { return put_into(a[0], a[1], a[2], s), std::nullopt; }},
    {"take_put_into", 4, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return take_put_into(a[0], a[1], a[2], a[3], n[0], s), std::nullopt;
     }},
    {"places_nonzero", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return places_nonzero(a[0], s); }},
    {"selected", 2, 0, [](Arrays a, Numbers, CUstream s) -> Result { return selected(a[0], a[1], s); }},
    {"assign_selected", 3, 0,
     [](Arrays a, Numbers, CUstream s) -> Result { return assign_selected(a[0], a[1], a[2], s), std::nullopt; }},
    {"flat", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return flat(a[0], s); }},
    {"flattened", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return flattened(a[0], s); }},
    {"sorted", 1, 1, [](Arrays a, Numbers n, CUstream s) -> Result { return sorted(a[0], axis_of(n[0]), s); }},
    {"sorted_places", 1, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return sorted_places(a[0], axis_of(n[0]), s); }},
    {"distinct", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return distinct(a[0], s); }},
    {"scan_into", 2, 2,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const auto op = static_cast<core::Scan>(n[0]);
         return scan_into(a[0], op, core::ScanKind::Inclusive, a[1], axis_of(n[1]), s), std::nullopt;
     }},
    {"matrix_product", 2, 0, [](Arrays a, Numbers, CUstream s) -> Result { return matrix_product(a[0], a[1], s); }},
    {"matrix_product_into", 3, 0,
     [](Arrays a, Numbers, CUstream s) -> Result { return matrix_product_into(a[0], a[1], a[2], s), std::nullopt; }},
    {"rolled", 1, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const TwoLists given(n);
         return rolled(a[0], given.first, given.second, s);
     }},
    {"rolled_flat", 1, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         const std::int64_t shift[] = {n[0]};
         return rolled(a[0], shift, std::nullopt, s);
     }},
    {"tiled", 1, any_number,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return tiled(a[0], std::vector<std::int64_t>(n.begin(), n.end()), s);
     }},
    {"repeated", 1, 2,
     [](Arrays a, Numbers n, CUstream s) -> Result { return repeated(a[0], n[0], axis_of(n[1]), s); }},
    {"repeated_each", 2, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return repeated(a[0], a[1], axis_of(n[0]), s); }},
    {"taken_at", 2, 1, [](Arrays a, Numbers n, CUstream s) -> Result { return taken(a[0], a[1], axis_of(n[0]), s); }},
    {"taken_along", 2, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return taken_along(a[0], a[1], axis_of(n[0]), s); }},
    {"axes_moved", 1, any_number,
     [](Arrays a, Numbers n, CUstream) -> Result {
         const TwoLists given(n);
         return axes_moved(a[0], given.first, given.second);
     }},
    {"diagonal", 1, 1, [](Arrays a, Numbers n, CUstream) -> Result { return diagonal(a[0], n[0]); }},
    {"triangle", 1, 2, [](Arrays a, Numbers n, CUstream s) -> Result { return triangle(a[0], n[0], n[1] != 0, s); }},
    {"differences", 1, 2,
     [](Arrays a, Numbers n, CUstream s) -> Result { return differences(a[0], n[0], axis_of(n[1]), s); }},
    {"scanned_from_start", 1, 2,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         return scanned_from_start(static_cast<core::Scan>(n[0]), a[0], axis_of(n[1]), s);
     }},
    {"search_sorted", 2, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result { return search_sorted(a[0], a[1], n[0] != 0, s); }},
    {"unique_elements", 1, 0, [](Arrays a, Numbers, CUstream s) -> Result { return unique_elements(a[0], s); }},
    {"is_in", 2, 1, [](Arrays a, Numbers n, CUstream s) -> Result { return is_in(a[0], a[1], n[0] != 0, s); }},
    {"random_into", 1, 1,
     [](Arrays a, Numbers n, CUstream s) -> Result {
         random_fill(*core::current_kernels(), a[0].ref(s), static_cast<std::uint64_t>(n[0]), s);
         return std::nullopt;
     }},
};

const Call& find_call(PyObject* name, PyObject* arrays, PyObject* numbers) {
    const char* const text = PyUnicode_AsUTF8(name);
    if (!text) throw PythonError{};
    for (const Call& call : calls)
        if (call.name == text && PyTuple_Check(arrays) && PyTuple_GET_SIZE(arrays) == call.arrays &&
            PyTuple_Check(numbers) && (call.numbers == any_number || PyTuple_GET_SIZE(numbers) == call.numbers))
            return call;
    PyErr_Format(PyExc_TypeError, "there is no call '%s' of these arguments", text);
    throw PythonError{};
}

Array* array_from(PyObject* object) {
    if (is_array(object)) return as_array(object);
    PyErr_Format(PyExc_TypeError, "expected a GPUArray, given %s", Py_TYPE(object)->tp_name);
    throw PythonError{};
}

std::vector<core::Array> arrays_from(PyObject* tuple, PyObject* allocator) {
    std::vector<core::Array> arrays;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i)
        arrays.push_back(core_array(array_from(PyTuple_GET_ITEM(tuple, i)), i == 0 ? allocator : nullptr));
    return arrays;
}

std::vector<long long> numbers_from(PyObject* tuple) {
    std::vector<long long> numbers;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
        numbers.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i)));
        if (PyErr_Occurred()) throw PythonError{};
    }
    return numbers;
}

/// What an operation of this array made: of its dtype, where that has no number of the core's.
PyObject* given(core::Array made, PyObject* first) {
    const Form& form = form_of(as_array(first));
    const bool is_same = made.dtype() == DType::Opaque || made.dtype() == form.type;
    const Ref dtype = borrow(is_same ? form.dtype : dtype_object(made.dtype()));
    return adopt(std::move(made), dtype.get());
}

/// Structures are joined only with structures of the same type.
void check_structures(PyObject* tuple) {
    const FormRef first(share(&form_of(as_array(PyTuple_GET_ITEM(tuple, 0)))));
    for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(tuple); ++i) {
        const FormRef form(share(&form_of(as_array(PyTuple_GET_ITEM(tuple, i)))));
        if (form->type != DType::Opaque && first->type != DType::Opaque) continue;
        const int same = PyObject_RichCompareBool(first->dtype, form->dtype, Py_EQ);
        if (!same) PyErr_Format(PyExc_TypeError, "arrays of %S and %S cannot be joined", first->dtype, form->dtype);
        if (same != 1) throw PythonError{};
    }
}

}  // namespace

PyObject* array_call(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "array_call(name, arrays, numbers, stream)");
        return nullptr;
    }
    try {
        const Call& call = find_call(arguments[0], arguments[1], arguments[2]);
        const CUstream stream = stream_of_operation(arguments[3]);
        const auto arrays = arrays_from(arguments[1], nullptr);
        Result made = call.run(arrays, numbers_from(arguments[2]), stream);
        PyObject* const first = PyTuple_GET_ITEM(arguments[1], 0);
        if (made.arrays.empty()) return borrow(Py_None).release();
        if (made.arrays.size() == 1) return given(std::move(made.arrays[0]), first);
        Ref all(PyTuple_New(static_cast<Py_ssize_t>(made.arrays.size())));
        if (!all) return nullptr;
        for (std::size_t k = 0; k < made.arrays.size(); ++k) {
            PyObject* const item = given(std::move(made.arrays[k]), first);
            if (!item) return nullptr;
            PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(k), item);
        }
        return all.release();
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyObject* array_reduced(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 7 || !PyTuple_Check(arguments[1]) || PyTuple_GET_SIZE(arguments[1]) < 1) {
        PyErr_SetString(PyExc_TypeError, "array_reduced(name, arrays, axes, keepdims, dtype, allocator, stream)");
        return nullptr;
    }
    try {
        const char* const name = PyUnicode_AsUTF8(arguments[0]);
        const unsigned long axes = PyLong_AsUnsignedLong(arguments[2]);
        if (!name || PyErr_Occurred()) return nullptr;
        const Ref dtype(arguments[4] == Py_None ? nullptr : to_dtype(arguments[4]));
        const auto type = dtype ? std::optional(dtype_code(dtype.get())) : std::nullopt;
        const CUstream stream = stream_of_operation(arguments[6]);
        const auto arrays = arrays_from(arguments[1], arguments[5] == Py_None ? nullptr : arguments[5]);
        std::vector<const core::Array*> inputs;
        for (const core::Array& array : arrays) inputs.push_back(&array);
        auto made = core::reduced(core::reduction_of_name(name), inputs, static_cast<std::uint32_t>(axes),
                                  arguments[3] == Py_True, type, stream);
        return given(std::move(*made), PyTuple_GET_ITEM(arguments[1], 0));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyObject* array_spread(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 6) {
        PyErr_SetString(PyExc_TypeError, "array_spread(arrays, is_root, axes, keepdims, correction, dtype)");
        return nullptr;
    }
    try {
        const unsigned long axes = PyLong_AsUnsignedLong(arguments[2]);
        const double correction = PyFloat_AsDouble(arguments[4]);
        if (PyErr_Occurred()) return nullptr;
        const Ref dtype(arguments[5] == Py_None ? nullptr : to_dtype(arguments[5]));
        const auto type = dtype ? std::optional(dtype_code(dtype.get())) : std::nullopt;
        const CUstream stream = stream_of_operation(Py_None);
        const auto arrays = arrays_from(arguments[0], nullptr);
        auto made = spread(arguments[1] == Py_True ? core::Spread::StandardDeviation : core::Spread::Variance,
                           arrays[0], arrays.size() > 1 ? &arrays[1] : nullptr, static_cast<std::uint32_t>(axes),
                           arguments[3] == Py_True, correction, type, stream);
        return given(std::move(made), PyTuple_GET_ITEM(arguments[0], 0));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

PyObject* array_concatenated(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 3 || !PyTuple_Check(arguments[0]) || PyTuple_GET_SIZE(arguments[0]) < 1) {
        PyErr_SetString(PyExc_TypeError, "array_concatenated(arrays, axis, allocator)");
        return nullptr;
    }
    try {
        const long axis = PyLong_AsLong(arguments[1]);
        if (PyErr_Occurred()) return nullptr;
        const auto arrays = arrays_from(arguments[0], arguments[2] == Py_None ? nullptr : arguments[2]);
        check_structures(arguments[0]);
        std::vector<const core::Array*> inputs;
        for (const core::Array& array : arrays) inputs.push_back(&array);
        return given(core::concatenated(inputs, axis_of(axis), nullptr), PyTuple_GET_ITEM(arguments[0], 0));
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
        const core::ScanText text{
            name,   type,         static_cast<std::size_t>(itemsize), expression, neutral, preamble, parameters, input,
            output, segment_start};
        const core::ScanKernelSource source(find_last ? text.finding_last() : text);
        const std::size_t once = source.scratch_bytes(0);
        return Py_BuildValue("(ssIInn)", source.text().c_str(), source.name().c_str(), source.threads(), source.tile(),
                             static_cast<Py_ssize_t>(once), static_cast<Py_ssize_t>(source.scratch_bytes(1) - once));
    } catch (...) {
        translate_exception();
        return nullptr;
    }
}

}  // namespace pycuda::python::gpuarray
