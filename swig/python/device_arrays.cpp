#include "device_arrays.hpp"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "buffers.hpp"
#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "handle_types.hpp"
#include "lifetime.hpp"
#include "memory_types.hpp"
#include "numpy_scalars.hpp"
#include "pointers.hpp"
#include "pycuda/streams/ordering.hpp"

namespace pycuda::python {
namespace {

bool is_write(Access access) noexcept {
    return access == Access::Write || access == Access::BoxWrite;
}
bool is_whole(Access access) noexcept {
    return access == Access::Read || access == Access::Write;
}

[[noreturn]] void raise(PyObject* error, const char* format, PyObject* object) {
    PyErr_Format(error, format, Py_TYPE(object)->tp_name);
    throw PythonError{};
}

[[noreturn]] void raise_strided(PyObject* object) {
    raise(PyExc_ValueError,
          "this %s in device memory is strided: a copy or fill of its bytes, one after the other, would take wrong "
          "elements. Make a contiguous copy first, copy it with Memcpy2D or Memcpy3D, or pass its address as an int",
          object);
}

[[noreturn]] void raise_read_only(PyObject* object) {
    raise(PyExc_ValueError, "the destination (%s in device memory) is read-only", object);
}

/// An item of the interface; null if it is missing or None.
Ref item_of(PyObject* interface, const char* name) {
#if PY_VERSION_HEX < 0x030D0000
    // Costs no KeyError.
    Ref value(PyDict_CheckExact(interface) ? borrow(PyDict_GetItemString(interface, name)).release()
                                           : PyMapping_GetItemString(interface, name));
    if (!value && !PyErr_Occurred()) return nullptr;
#else
    PyObject* found = nullptr;
    if (PyMapping_GetOptionalItemString(interface, name, &found) == 0) return nullptr;
    Ref value(found);
#endif
    if (!value) {
        if (!PyErr_ExceptionMatches(PyExc_KeyError)) throw PythonError{};
        PyErr_Clear();
    }
    return value.get() == Py_None ? nullptr : std::move(value);
}

/// A tuple of integers.
std::vector<long long> integers_of(PyObject* sequence) {
    const Ref items(PySequence_Tuple(sequence));
    if (!items) throw PythonError{};
    std::vector<long long> values;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
        values.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(items.get(), i)));
        if (values.back() == -1 && PyErr_Occurred()) throw PythonError{};
    }
    return values;
}

/// The bytes of an element, from a typestr such as "<f4".
long long item_size(PyObject* interface) {
    const Ref typestr = item_of(interface, "typestr");
    const char* const text = typestr ? PyUnicode_AsUTF8(typestr.get()) : nullptr;
    if (PyErr_Occurred()) throw PythonError{};
    if (!text || std::strlen(text) < 3) return 0;
    const long long size = std::strtoll(text + 2, nullptr, 10);
    return text[1] == 'U' ? 4 * size : size;
}

/// True if the elements are contiguous, in C or Fortran order.
bool is_contiguous(const std::vector<long long>& shape, const std::vector<long long>& strides, long long size) {
    for (const long long extent : shape)
        if (extent == 0) return true;
    const auto follows = [&](bool last_first) {
        long long expected = size;
        for (std::size_t n = 0; n < shape.size(); ++n) {
            const std::size_t axis = last_first ? shape.size() - 1 - n : n;
            if (shape[axis] != 1 && strides[axis] != expected) return false;
            expected *= shape[axis];
        }
        return true;
    };
    return follows(true) || follows(false);
}

void check_interface(PyObject* interface, PyObject* object, Access access) {
    if (const Ref data = is_write(access) ? item_of(interface, "data") : nullptr) {
        const Ref read_only(PySequence_GetItem(data.get(), 1));
        const int is_read_only = read_only ? PyObject_IsTrue(read_only.get()) : -1;
        if (is_read_only < 0) throw PythonError{};
        if (is_read_only) raise_read_only(object);
    }
    if (!is_whole(access)) return;
    const Ref given = item_of(interface, "strides"), extents = item_of(interface, "shape");
    if (!given || !extents) return;
    const auto shape = integers_of(extents.get()), strides = integers_of(given.get());
    if (shape.size() != strides.size())
        raise(PyExc_ValueError, "the __cuda_array_interface__ of this %s has another number of strides than of axes",
              object);
    if (!is_contiguous(shape, strides, item_size(interface))) raise_strided(object);
}

/// Managed memory is a buffer, too.
void check_managed(PyObject* array, Access access) {
    Py_buffer view{};
    DevicePtr pointer;
    if (!managed_array_pointer(array, pointer)) return;
    if (is_whole(access)) {
        if (!(is_write(access) ? take_destination(array, view) : take_source(array, view))) throw PythonError{};
    } else if (is_write(access)) {
        if (PyObject_GetBuffer(array, &view, PyBUF_STRIDED) < 0) {
            PyErr_Clear();
            raise_read_only(array);
        }
    }
    PyBuffer_Release(&view);
}

}  // namespace

void check_device_array(PyObject* object, Access access) {
    if (Py_TYPE(object)->tp_base == device_memory_base || PyLong_Check(object)) return;
    if (PyObject_TypeCheck(object, device_memory_base)) return;
    if (gpuarray::is_array(object)) {
        if (!is_whole(access)) return;
        const auto& layout = gpuarray::form_of(gpuarray::as_array(object)).layout;
        if (!layout.is_c_contiguous() && !layout.is_f_contiguous()) raise_strided(object);
        return;
    }
    if (is_numpy_array(object)) return check_managed(object, access);
    if (is_numpy_scalar(object)) return;
    if (const Ref interface = array_interface_of(object)) check_interface(interface.get(), object, access);
}

void order_after_interface(PyObject* interface, PyObject* object, const CUstream* user) {
    const Ref stream = item_of(interface, "stream");
    if (!stream) return;
    const Ref index(PyNumber_Index(stream.get()));
    const auto handle = index ? PyLong_AsUnsignedLongLong(index.get()) : 0;
    if (PyErr_Occurred()) throw PythonError{};
    if (handle == 0)
        raise(PyExc_ValueError,
              "the __cuda_array_interface__ of this %s has the stream 0, which may be either default stream: expected "
              "None, 1 (the default stream), 2 (the default stream of each thread) or a handle",
              object);
    order_after_producer(user, reinterpret_cast<CUstream>(static_cast<std::uintptr_t>(handle)));
}

void refuse_masked(PyObject* interface, PyObject* object) {
    if (item_of(interface, "mask"))
        raise(
            PyExc_ValueError,
            "this %s has a mask in its __cuda_array_interface__, which no copy or kernel looks at: fill in its masked "
            "elements first",
            object);
}

}  // namespace pycuda::python
