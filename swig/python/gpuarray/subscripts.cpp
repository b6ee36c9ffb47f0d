#include "gpuarray/subscripts.hpp"

#include <array>
#include <optional>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "slot.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Input;
using pycuda::gpuarray::Kernels;
using pycuda::gpuarray::Layout;
using pycuda::gpuarray::max_axes;

PyObject *general_getitem, *general_setitem;

/// Where an index leads: read part by part, axis by axis.
class View {
public:
    explicit View(const Layout& of) : of_(of) {}

    /// False where the general way must look: indices of other kinds, and all that is an error.
    bool read(PyObject* index) {
        PyObject* const* parts = &index;
        Py_ssize_t count = 1;
        if (PyTuple_CheckExact(index)) {
            parts = &PyTuple_GET_ITEM(index, 0);
            count = PyTuple_GET_SIZE(index);
        }
        int taken = 0, ellipses = 0, added = 0;
        for (Py_ssize_t i = 0; i < count; ++i) {
            ellipses += parts[i] == Py_Ellipsis;
            added += parts[i] == Py_None;
            taken += parts[i] != Py_Ellipsis && parts[i] != Py_None;
        }
        if (ellipses > 1 || taken > of_.ndim() || of_.ndim() + added > max_axes) return false;
        for (Py_ssize_t i = 0; i < count; ++i) {
            if (parts[i] == Py_Ellipsis)
                keep(of_.ndim() - taken);
            else if (parts[i] == Py_None)
                add(1, 0);
            else if (!take(parts[i]))
                return false;
        }
        keep(of_.ndim() - axis_);
        return true;
    }

    Layout layout() const {
        const auto count = static_cast<std::size_t>(ndim_);
        return Layout({shape_.data(), count}, {strides_.data(), count}, of_.itemsize());
    }
    /// In bytes, from the array's address. 0 when nothing is selected.
    std::int64_t offset() const noexcept { return empty_ ? 0 : offset_; }

private:
    void add(std::int64_t length, std::int64_t stride) {
        shape_[static_cast<std::size_t>(ndim_)] = length;
        strides_[static_cast<std::size_t>(ndim_++)] = stride;
        empty_ |= length == 0;
    }
    void keep(int axes) {
        for (; axes > 0; --axes, ++axis_)
            add(of_.shape()[static_cast<std::size_t>(axis_)], of_.strides()[static_cast<std::size_t>(axis_)]);
    }
    bool take(PyObject* part) {
        const std::int64_t length = of_.shape()[static_cast<std::size_t>(axis_)];
        const std::int64_t stride = of_.strides()[static_cast<std::size_t>(axis_)];
        ++axis_;
        if (PySlice_Check(part)) {
            Py_ssize_t start, stop, step;
            if (PySlice_Unpack(part, &start, &stop, &step) < 0) throw PythonError{};
            const Py_ssize_t count = PySlice_AdjustIndices(length, &start, &stop, step);
            std::int64_t between = stride;
            // No step is taken between less than two entries, however long it is.
            if (__builtin_mul_overflow(stride, std::int64_t{step}, &between)) between = stride;
            add(count, between);
            offset_ += count ? stride * start : 0;
            return true;
        }
        if (!PyLong_CheckExact(part)) return false;
        int overflow;
        const long long number = PyLong_AsLongLongAndOverflow(part, &overflow);
        if (overflow || number < -length || number >= length) return false;
        offset_ += stride * (number < 0 ? number + length : number);
        return true;
    }

    const Layout& of_;
    int axis_ = 0, ndim_ = 0;
    bool empty_ = false;
    std::int64_t offset_ = 0;
    std::array<std::int64_t, max_axes> shape_, strides_;
};

Array* usable(PyObject* self) {
    Array* const array = as_array(self);
    return array->form && array->form->fits ? array : nullptr;
}

PyObject* get_item(PyObject* self, PyObject* index) {
    try {
        if (Array* const array = usable(self)) {
            const FormRef form(share(array->form));  // an index may be asked what number it is, by code of others
            View view(form->layout);
            if (view.read(index) && array->form == form.get())
                return as_object(new_view(array, view.layout(), view.offset()));
        }
    } catch (...) {
        translate_exception();
        return nullptr;
    }
    PyObject* const arguments[] = {self, index};
    return PyObject_Vectorcall(general_getitem, arguments, 2, nullptr);
}

/// array[index] = number, in one launch; false where it is something else.
bool fill(Array* array, PyObject* index, PyObject* value) {
    const std::optional<Scalar> scalar = read_scalar(value);
    if (!scalar || !usable(as_object(array)) || array->form->type == DType::Opaque) return false;
    const FormRef form(share(array->form));  // an index may be asked what number it is, by code of others
    View view(form->layout);
    if (!view.read(index) || array->form != form.get()) return false;
    const Layout layout = view.layout();
    if (layout.size() == 0) return true;
    const Use use(array, nullptr);
    if (&use.form() != form.get()) return false;
    const std::shared_ptr<Kernels> kernels = pycuda::gpuarray::current_kernels();
    const DevicePtr address = use.ref().address + static_cast<DevicePtr>(view.offset());
    const Input input(*scalar);
    elementwise(*kernels, pycuda::gpuarray::Op::copy, {address, &layout, form->type}, {&input, 1}, nullptr);
    return true;
}

int set_item(PyObject* self, PyObject* index, PyObject* value) {
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "entries of a GPUArray cannot be deleted");
        return -1;
    }
    try {
        if (Array* const array = usable(self); array && fill(array, index, value)) return 0;
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

std::span<const PyType_Slot> subscript_slots() noexcept {
    return of_subscripts;
}

int load_subscripts(PyObject* methods) {
    Py_XSETREF(general_getitem, PyObject_GetAttrString(methods, "__getitem__"));
    Py_XSETREF(general_setitem, PyObject_GetAttrString(methods, "__setitem__"));
    return general_getitem && general_setitem ? 0 : -1;
}

}  // namespace pycuda::python::gpuarray
