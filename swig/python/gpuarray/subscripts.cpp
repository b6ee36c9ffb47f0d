#include "gpuarray/subscripts.hpp"

#include <array>
#include <optional>
#include <stdexcept>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/type_parts.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/gpuarray/views.hpp"
#include "slot.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Input;
using pycuda::gpuarray::Kernels;
using pycuda::gpuarray::Layout;
namespace views = pycuda::gpuarray::views;

PyObject *general_getitem, *general_setitem;

bool is_basic_part(PyObject* part) {
    if (PyLong_CheckExact(part) || PySlice_Check(part) || part == Py_None || part == Py_Ellipsis) return true;
    return PyIndex_Check(part) && !PyBool_Check(part) && !is_array(part) && !PySequence_Check(part);
}

/// Arrays, lists and bools as indices select or gather, and names are fields: Python code handles those.
bool is_basic(PyObject* index) {
    if (!PyTuple_Check(index)) return is_basic_part(index);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(index); ++i)
        if (!is_basic_part(PyTuple_GET_ITEM(index, i))) return false;
    return true;
}

void read_part(views::Indexing& indexing, PyObject* part) {
    if (part == Py_Ellipsis) return indexing.rest();
    if (part == Py_None) return indexing.new_axis();
    if (PySlice_Check(part)) {
        Py_ssize_t start, stop, step;
        if (PySlice_Unpack(part, &start, &stop, &step) < 0) throw PythonError{};
        return indexing.range(start, stop, step);
    }
    const Ref number(PyBool_Check(part) ? nullptr : PyNumber_Index(part));
    if (!number) {
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)) throw PythonError{};
        PyErr_Format(
            PyExc_IndexError,
            "expected integers, slices, ellipsis, numpy.newaxis and arrays of integers or bool as indices, given %s",
            Py_TYPE(part)->tp_name);
        throw PythonError{};
    }
    const Py_ssize_t index = PyNumber_AsSsize_t(number.get(), PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) throw PythonError{};
    indexing.at(index);
}

/// The view at a basic index of an array with this layout.
views::View read_index(const Layout& layout, PyObject* index) {
    // Not an IndexError, because that would end an iteration.
    if (layout.ndim() == 0 && PyLong_CheckExact(index) && PyLong_AsLong(index) == 0) {
        PyErr_SetString(PyExc_TypeError,
                        "a 0-d array has no axis to iterate over or to index; a[()] is the array, and a.item() its "
                        "only element");
        throw PythonError{};
    }
    const bool is_tuple = PyTuple_Check(index);
    PyObject* const* const parts = is_tuple ? &PyTuple_GET_ITEM(index, 0) : &index;
    const Py_ssize_t count = is_tuple ? PyTuple_GET_SIZE(index) : 1;
    int taken = 0, ellipses = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        ellipses += parts[i] == Py_Ellipsis;
        taken += parts[i] != Py_Ellipsis && parts[i] != Py_None;
    }
    if (ellipses > 1) throw std::out_of_range("an index can only have a single ellipsis ('...')");
    views::Indexing indexing(layout, taken);
    for (Py_ssize_t i = 0; i < count; ++i) read_part(indexing, parts[i]);
    return indexing.view();
}

PyObject* view_at(PyObject* self, PyObject* index) {
    const SteadyArray steady(as_array(self));
    const views::View view = read_index(steady.form().layout, index);
    steady.check();
    return as_object(new_view(as_array(self), view.layout, view.offset, steady.form().dtype));
}

PyObject* get_item(PyObject* self, PyObject* index) {
    if (!is_basic(index)) {
        PyObject* const arguments[] = {self, index};
        return PyObject_Vectorcall(general_getitem, arguments, 2, nullptr);
    }
    return guarded([&]() -> PyObject* { return view_at(self, index); });
}

/// array[index] = number, in one launch; false for other values.
bool fill(PyObject* self, PyObject* index, PyObject* value) {
    Array* const array = as_array(self);
    const std::optional<Scalar> scalar = is_basic(index) ? read_scalar(value) : std::nullopt;
    if (!scalar || form_of(array).type == DType::Opaque) return false;
    const SteadyArray steady(array);
    const views::View view = read_index(steady.form().layout, index);
    steady.check();
    if (view.layout.size() == 0) return true;
    const pycuda::gpuarray::Current& now = pycuda::gpuarray::current();
    const std::shared_ptr<Kernels> kernels = now.kernels;
    const CUstream stream = now.stream;
    const Use use(array, stream, &now);
    steady.check();
    const DevicePtr address = use.ref().address + static_cast<DevicePtr>(view.offset);
    const Input input(*scalar);
    elementwise(*kernels, pycuda::gpuarray::Op::copy, {address, &view.layout, use.form().type}, {&input, 1}, stream);
    return true;
}

int set_item(PyObject* self, PyObject* index, PyObject* value) {
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "elements of a GPUArray cannot be deleted");
        return -1;
    }
    try {
        if (fill(self, index, value)) return 0;
    } catch (...) {
        translate_exception();
        return -1;
    }
    PyObject* const arguments[] = {self, index, value};
    const Ref none(PyObject_Vectorcall(general_setitem, arguments, 3, nullptr));
    return none ? 0 : -1;
}

const std::array of_subscripts{
    PyType_Slot{Py_mp_subscript, slot(get_item)},
    PyType_Slot{Py_mp_ass_subscript, slot(set_item)},
};

}  // namespace

PyObject* array_index(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    if (count != 2 || !is_array(arguments[0])) {
        PyErr_SetString(PyExc_TypeError, "array_index(array, index)");
        return nullptr;
    }
    return guarded([&]() -> PyObject* { return view_at(arguments[0], arguments[1]); });
}

std::span<const PyType_Slot> subscript_slots() noexcept {
    return of_subscripts;
}

int load_subscripts(PyObject* methods) {
    Py_XSETREF(general_getitem, PyObject_GetAttrString(methods, "__getitem__"));
    Py_XSETREF(general_setitem, PyObject_GetAttrString(methods, "__setitem__"));
    return general_getitem && general_setitem ? 0 : -1;
}

}  // namespace pycuda::python::gpuarray
