#pragma once

#include <Python.h>

#include <cstddef>
#include <optional>

/// NumPy's scalar types, without its C headers: their layout is read once from the types themselves, so that one build
/// works with every version of NumPy.
namespace pycuda::python {

/// The kind of a C value, apart from its size.
enum class ScalarKind : unsigned char { Signed, Unsigned, Float, Complex, Bool };

struct ScalarType {
    PyTypeObject* type;
    ScalarKind kind;
    std::size_t size;
    std::size_t alignment;
    std::size_t offset;  ///< the position of the value in a scalar object

    const void* value(PyObject* scalar) const noexcept { return reinterpret_cast<const char*>(scalar) + offset; }
};

/// The row for exactly this type (numpy.int32, ...); null for all other types.
const ScalarType* find_scalar_type(PyTypeObject* type) noexcept;

bool is_numpy_scalar(PyObject* object) noexcept;  ///< an instance of numpy.generic
bool is_numpy_array(PyObject* object) noexcept;
bool is_numpy_dtype(PyObject* object) noexcept;

/// An attribute such as the itemsize of a dtype. Throws PythonError.
std::size_t attribute_as_size(PyObject* object, const char* name);

/// 1 if the elements of an array or scalar are, or contain, Python objects. -1 with a Python exception set.
int holds_objects(PyObject* array);
/// The same for elements, or a dtype, of another byte order than this machine's and its devices'.
int has_other_byte_order(PyObject* array_or_dtype);

/// Reads the types from numpy. Nonzero with a Python exception set on failure.
int load_numpy_scalars();

}  // namespace pycuda::python
