#pragma once

#include <Python.h>

#include <memory>
#include <span>
#include <vector>

#include "gpuarray/element_types.hpp"
#include "pycuda/gpuarray/layout.hpp"

namespace pycuda::python::gpuarray {

/// Shape, strides and dtype of arrays with all that follows from them. Immutable, counted without atomics (the
/// interpreter's lock is held), and shared: the result of an operation has its operand's form. Equal addresses need no
/// comparison.
struct Form {
    Py_ssize_t references = 1;
    PyObject *shape, *strides, *dtype;  ///< tuple, tuple, numpy.dtype; owned
    PyObject *size, *nbytes;            ///< as Python integers; owned
    pycuda::gpuarray::Layout layout;    ///< of what fits together only
    DType type = DType::Opaque;
    bool fits = false;  ///< false half-way through assignments that change an array's shape and strides one by one
    Form* sibling = nullptr;  ///< the same shape and order with the dtype asked for last; owned
    Form* origin = nullptr;   ///< whose sibling this is: null when that is gone
};

/// A form of exactly these; PythonError when they are no tuples of integers. What does not fit together gives a form
/// that no operation accepts. A new reference.
Form* make_form(PyObject* shape, PyObject* strides, PyObject* dtype);

/// The form of a packed array of C or Fortran order. Forms of late are found again. A new reference.
/// PythonError (ValueError) for negative lengths and sizes beyond the address space.
Form* packed_form(PyObject* shape, PyObject* dtype, bool fortran);

/// The form of a view, of a layout and a dtype that fit together. A new reference.
Form* form_of_layout(const pycuda::gpuarray::Layout& layout, PyObject* dtype);

/// The dense form with another element type: the same shape and order of axes. Borrowed from `form`.
Form* form_of_type(Form& form, DType type);

inline Form* share(Form* form) noexcept {
    ++form->references;
    return form;
}
void drop(Form* form) noexcept;

/// A reference to a form.
struct DropForm {
    void operator()(Form* form) const noexcept { drop(form); }
};
using FormRef = std::unique_ptr<Form, DropForm>;

/// A shape as a tuple of Python integers: of an integer, or of a sequence or array of them. PythonError otherwise.
PyObject* to_shape(PyObject* shape);
/// The integers of a tuple, and a tuple of integers. PythonError otherwise.
std::vector<std::int64_t> to_numbers(PyObject* tuple);
PyObject* to_tuple(std::span<const std::int64_t> numbers);
/// dtype.itemsize
std::int64_t itemsize_of(PyObject* dtype);

}  // namespace pycuda::python::gpuarray
