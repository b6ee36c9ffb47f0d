#include "gpuarray/views.hpp"

#include <vector>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "gpuarray/traced.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/views.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Layout;
namespace views = pycuda::gpuarray::views;

/// An array whose layout a call reads, while foreign code converts the call's arguments to numbers.
class Viewed : public SteadyArray {
public:
    explicit Viewed(PyObject* object) : SteadyArray(array_from(object)) {}
    const Layout& layout() const noexcept { return form().layout; }
    PyObject* shape() const noexcept { return form().shape; }

    PyObject* seen(const Layout& layout, std::int64_t offset = 0, PyObject* dtype = nullptr,
                   Memory memory = Memory::Address) const {
        check();
        return as_object(new_view(array(), layout, offset, dtype ? dtype : form().dtype, memory));
    }
};

std::vector<std::int64_t> integers(PyObject* sequence) {
    const Ref tuple(to_shape(sequence));
    return to_numbers(tuple.get());
}

/// Runs `body` on the array that comes first of `wanted` arguments.
template <class Body>
PyObject* with_array(PyObject* const* arguments, Py_ssize_t count, Py_ssize_t wanted, const Body& body) {
    if (count != wanted) {
        PyErr_Format(PyExc_TypeError, "expected %zd arguments, given %zd", wanted, count);
        return nullptr;
    }
    return guarded([&]() -> PyObject* { return body(Viewed(arguments[0])); });
}

views::ReadingOrder reading_order(PyObject* order, const Layout& layout) {
    const auto is = [&](const char* text) {
        return PyUnicode_Check(order) && PyUnicode_CompareWithASCIIString(order, text) == 0;
    };
    if (is("indices C")) return views::ReadingOrder::C;
    if (is("indices F")) return views::ReadingOrder::Fortran;
    if (is("C") || (is("A") && layout.is_c_contiguous())) return views::ReadingOrder::MemoryC;
    if (is("F") || is("A")) return views::ReadingOrder::MemoryFortran;
    PyErr_Format(PyExc_ValueError, "expected order 'C', 'F' or 'A', given %R", order);
    throw PythonError{};
}

}  // namespace

Array* new_view(Array* array, const pycuda::gpuarray::Layout& layout, std::int64_t offset, PyObject* dtype,
                Memory memory) {
    if (is_traced(array)) [[unlikely]]
        return as_array(view_traced(array, layout, offset, dtype));
    const FormRef seen(share(array->form));
    const bool has_memory = seen->layout.size() != 0;
    Ref gpudata;
    if (!has_memory)
        gpudata = borrow(Py_None);
    else if (memory == Memory::Object)
        gpudata = gpudata_of(array);
    else
        gpudata.reset(PyLong_FromUnsignedLongLong(address_of(array, nullptr) + static_cast<DevicePtr>(offset)));
    if (!gpudata) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_AttributeError, "gpudata");
        throw PythonError{};
    }
    const bool keeps_answers = dtype == seen->dtype;
    ArrayForm* const form = form_of_layout(layout, dtype);
    Array* const view = new_plain();
    if (!view) {
        drop(form);
        throw std::bad_alloc();
    }
    set_form(view, form);
    set_gpudata(view, gpudata.get());
    view->allocator = allocator_of(array).release();
    if (keeps_answers) view->answers = array->answers;
    if (has_memory) {
        Ref base = base_of(array);
        view->base = base ? base.release() : borrow(as_object(array)).release();
    }
    track(view);
    return view;
}

PyObject* array_reshape(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return with_array(arguments, count, 3, [&](const Viewed& viewed) {
        const auto shape = integers(arguments[1]);
        const auto order = reading_order(arguments[2], viewed.layout());
        const auto layout = views::reshape(viewed.layout(), shape, order);
        if (!layout) {
            PyErr_Format(PyExc_RuntimeError,
                         "an array of shape %R with these strides cannot be viewed with shape %R; use copy() first",
                         viewed.shape(), arguments[1]);
            throw PythonError{};
        }
        if (layout->same_dense(viewed.layout()) || *layout == viewed.layout()) return borrow(arguments[0]).release();
        return viewed.seen(*layout);
    });
}

PyObject* array_transpose(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return with_array(arguments, count, 2, [&](const Viewed& viewed) {
        const Layout layout = arguments[1] == Py_None ? views::transpose(viewed.layout())
                                                      : views::transpose(viewed.layout(), integers(arguments[1]));
        return viewed.seen(layout, 0, nullptr, Memory::Object);
    });
}

PyObject* array_squeeze(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return with_array(arguments, count, 2, [&](const Viewed& viewed) {
        const Layout& layout = viewed.layout();
        const std::uint32_t axes = arguments[1] == Py_None ? views::single_axes(layout)
                                                           : views::axis_mask(integers(arguments[1]), layout.ndim());
        return viewed.seen(views::squeeze(layout, axes));
    });
}

PyObject* array_broadcast_to(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return with_array(arguments, count, 2, [&](const Viewed& viewed) {
        const Layout layout = viewed.layout().broadcast_to(integers(arguments[1]));
        return layout == viewed.layout() ? borrow(arguments[0]).release() : viewed.seen(layout);
    });
}

PyObject* array_view(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return with_array(arguments, count, 2, [&](const Viewed& viewed) {
        const Ref dtype(to_dtype(arguments[1]));
        return viewed.seen(views::view_as(viewed.layout(), itemsize_of(dtype.get())), 0, dtype.get());
    });
}

PyObject* array_field(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return with_array(arguments, count, 3, [&](const Viewed& viewed) {
        const Ref dtype(to_dtype(arguments[1]));
        const long long offset = PyLong_AsLongLong(arguments[2]);
        if (PyErr_Occurred()) throw PythonError{};
        const views::View field = views::field(viewed.layout(), offset, itemsize_of(dtype.get()));
        return viewed.seen(field.layout, field.offset, dtype.get());
    });
}

PyObject* array_strided(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
    return with_array(arguments, count, 4, [&](const Viewed& viewed) {
        const Ref dtype(to_dtype(arguments[3]));
        const Layout layout(integers(arguments[1]), integers(arguments[2]), itemsize_of(dtype.get()));
        return viewed.seen(layout, 0, dtype.get());
    });
}

PyObject* packed_strides(PyObject*, PyObject* args) {
    PyObject *shape, *strides;
    long long itemsize;
    if (!PyArg_ParseTuple(args, "OOL:packed_strides", &shape, &strides, &itemsize)) return nullptr;
    return guarded([&]() -> PyObject* {
        return to_tuple(Layout(integers(shape), integers(strides), itemsize).packed_like(itemsize).strides());
    });
}

}  // namespace pycuda::python::gpuarray
