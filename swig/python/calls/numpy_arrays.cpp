#include "calls/numpy_arrays.hpp"

#include <algorithm>
#include <iterator>

#include "lifetime.hpp"

namespace pycuda::python {
namespace {

/// The fields of an array that every NumPy since 1.7 guarantees (PyArrayObject_fields).
struct ArrayFields {
    PyObject_HEAD char* data;
    int axes;
    Py_ssize_t* shape;
    Py_ssize_t* strides;
    PyObject* base;
    PyObject* dtype;
    int flags;
};
constexpr int c_contiguous = 0x1, f_contiguous = 0x2, writeable = 0x400, warns_on_write = static_cast<int>(1u << 31);

/// A dtype for which NumPy has a single object.
struct ElementType {
    PyObject* dtype;
    std::size_t size;
};
constexpr const char* element_names[] = {"float32", "float64", "int32", "uint8", "int64",  "complex64", "complex128",
                                         "uint32",  "float16", "int8",  "int16", "uint16", "uint64",    "bool"};
ElementType element_types[std::size(element_names)];
PyTypeObject* array_type;  ///< null: the fields of arrays are not known
PyTypeObject* page_locked_type;

const ArrayFields* fields_of(PyObject* array) noexcept {
    return reinterpret_cast<const ArrayFields*>(array);
}

/// The base of a view is the array that owns the memory, or another view.
bool is_page_locked(const ArrayFields* array) noexcept {
    for (int views = 0; array->base && views < 4; ++views) {
        if (Py_TYPE(array->base) == page_locked_type) return true;
        if (Py_TYPE(array->base) != array_type) return false;
        array = fields_of(array->base);
    }
    return false;
}

/// True if the fields of a read-only array of 2 x 3 numbers have the expected values.
bool is_as_expected(PyObject* array) {
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_STRIDED_RO) < 0) return false;
    const ArrayFields* const fields = fields_of(array);
    bool is_right = fields->data == view.buf && fields->axes == 2 && fields->dtype == element_types[0].dtype &&
                    (fields->flags & (c_contiguous | f_contiguous | writeable)) == c_contiguous;
    is_right = is_right && std::equal(view.shape, view.shape + 2, fields->shape) &&
               std::equal(view.strides, view.strides + 2, fields->strides);
    PyBuffer_Release(&view);
    const Ref base(PyObject_GetAttrString(array, "base"));
    return is_right && base && fields->base == base.get();
}

}  // namespace

bool read_array_memory(PyObject* object, bool is_written, ArrayMemory& memory) noexcept {
    if (Py_TYPE(object) != array_type) return false;
    const ArrayFields* const array = fields_of(object);
    const ElementType* element = element_types;
    while (element != std::end(element_types) && element->dtype != array->dtype) ++element;
    if (element == std::end(element_types) || !(array->flags & (c_contiguous | f_contiguous))) return false;
    if (is_written && (array->flags & (writeable | warns_on_write)) != writeable) return false;
    std::size_t nbytes = element->size;
    for (int axis = 0; axis < array->axes; ++axis) nbytes *= static_cast<std::size_t>(array->shape[axis]);
    memory = {array->data, nbytes, is_page_locked(array)};
    return true;
}

void set_page_locked_class(PyObject* page_locked) noexcept {
    page_locked_type = reinterpret_cast<PyTypeObject*>(page_locked);
}

int load_numpy_arrays() {
    const Ref numpy(PyImport_ImportModule("numpy"));
    if (!numpy) return -1;
    for (std::size_t i = 0; i < std::size(element_names); ++i) {
        Ref dtype(PyObject_CallMethod(numpy.get(), "dtype", "s", element_names[i]));
        const Ref size(dtype ? PyObject_GetAttrString(dtype.get(), "itemsize") : nullptr);
        if (!size) return -1;
        element_types[i] = {dtype.release(), PyLong_AsSize_t(size.get())};  // NumPy keeps them forever, too
    }
    const Ref type(PyObject_GetAttrString(numpy.get(), "ndarray"));
    const Ref bytes(PyBytes_FromStringAndSize(nullptr, 24));
    const Ref array(type && bytes
                        ? PyObject_CallFunction(type.get(), "(ii)OO", 2, 3, element_types[0].dtype, bytes.get())
                        : nullptr);
    if (!array) return -1;
    if (is_as_expected(array.get())) array_type = Py_TYPE(array.get());
    PyErr_Clear();
    return 0;
}

}  // namespace pycuda::python
