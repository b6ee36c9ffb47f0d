#pragma once

#include <Python.h>

#include <memory>
#include <span>
#include <vector>

#include "gpuarray/element_types.hpp"
#include "interpreter/free_threading.hpp"
#include "pycuda/gpuarray/layout.hpp"
#include "pycuda/threads/hazard_pointers.hpp"

namespace pycuda::python::gpuarray {

/// Shape, strides and dtype of arrays, and derived values. Immutable and shared: the result of an operation has its
/// operand's form, so equal addresses need no comparison. Without a GIL, only arrays of one thread share a form, so
/// that threads do not contend for reference counts.
struct ArrayForm {
    Count references;
    PyObject *shape, *strides, *dtype;  ///< tuple, tuple, numpy.dtype; owned
    PyObject *size, *nbytes;            ///< as Python integers; owned
    pycuda::gpuarray::Layout layout;    ///< valid if `fits`
    DType type = DType::Opaque;
    bool fits = false;  ///< false half-way through assignments that change an array's shape and strides one by one
    // With a GIL:
    ArrayForm* sibling = nullptr;  ///< the same shape and order with the dtype that was last requested; owned
    ArrayForm* origin = nullptr;   ///< the form whose sibling this is; null if that is gone
    // Without a GIL:
    std::uint64_t number = 0;     ///< unique to this form
    const void* maker = nullptr;  ///< the table of the thread that created it
};

/// A form with exactly these values; PythonError if they are not tuples of integers. If they do not fit together, no
/// operation accepts the form. A new reference.
ArrayForm* make_form(PyObject* shape, PyObject* strides, PyObject* dtype);

/// The form of a packed array in C or Fortran order. Recently used forms are found again. A new reference.
/// PythonError (ValueError) for negative lengths and sizes beyond the address space.
ArrayForm* packed_form(PyObject* shape, PyObject* dtype, bool fortran);

/// The form of a view with a layout and a dtype that fit together. A new reference.
ArrayForm* form_of_layout(const pycuda::gpuarray::Layout& layout, PyObject* dtype);

inline ArrayForm* share(ArrayForm* form) noexcept {
    form->references.add();
    return form;
}
void drop(ArrayForm* form) noexcept;
/// Releases a form that an array no longer has, but that other threads may still be reading.
void drop_used(ArrayForm* form) noexcept;

/// The form of a result of operations on arrays of the dense `form`, with this element type: the same shape and order
/// of axes. A new reference. PythonError.
ArrayForm* form_of_type(ArrayForm& form, DType type);
/// This thread's form for such results.
ArrayForm* known_form_of_thread(ArrayForm& form, DType type) noexcept;
/// The same if it exists already, else null.
inline ArrayForm* known_form_of_type(ArrayForm& form, DType type) noexcept {
    if constexpr (!has_gil) return known_form_of_thread(form, type);
    if (form.type == type) return share(&form);
    ArrayForm* const other = form.sibling && form.sibling->type == type ? form.sibling : form.origin;
    return other && other->type == type ? share(other) : nullptr;
}

/// A reference to a form.
struct DropForm {
    void operator()(ArrayForm* form) const noexcept { drop(form); }
};
using FormRef = std::unique_ptr<ArrayForm, DropForm>;

/// Keeps an array's form alive for a scope in which another thread may change it. std::length_error if more than 32
/// scopes are open in this thread.
class FormInUse {
public:
    explicit FormInUse(ArrayForm* form) : form_(form) {
        if (!form) return;
        if constexpr (has_gil)
            share(form);
        else  // threads that share it would contend for its reference count
            slot_ = HazardPointers::of_this_thread().begin(form);
    }
    ~FormInUse() {
        if (!form_) return;
        if constexpr (has_gil)
            drop(form_);
        else
            HazardPointers::of_this_thread().end(slot_);
    }
    FormInUse(const FormInUse&) = delete;
    FormInUse& operator=(const FormInUse&) = delete;
    const ArrayForm& operator*() const noexcept { return *form_; }

private:
    ArrayForm* const form_;
    std::size_t slot_ = 0;
};

/// A shape as a tuple of Python integers, from an integer, or from a sequence or array of them. PythonError otherwise.
PyObject* to_shape(PyObject* shape);
/// The integers of a tuple, and a tuple of integers. PythonError otherwise.
std::vector<std::int64_t> to_numbers(PyObject* tuple);
PyObject* to_tuple(std::span<const std::int64_t> numbers);
/// dtype.itemsize
std::int64_t itemsize_of(PyObject* dtype);

}  // namespace pycuda::python::gpuarray
