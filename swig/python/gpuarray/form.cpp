#include "gpuarray/form.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "exceptions.hpp"
#include "lifetime.hpp"

namespace pycuda::python::gpuarray {
namespace {

using pycuda::gpuarray::Layout;

/// A tuple of exact Python integers: NumPy's integers would appear in `shape`, which programs print.
PyObject* plain_integers(PyObject* sequence) {
    Ref given(PySequence_Tuple(sequence));
    if (!given) throw PythonError{};
    const Py_ssize_t count = PyTuple_GET_SIZE(given.get());
    bool plain = true;
    for (Py_ssize_t i = 0; i < count; ++i) plain = plain && PyLong_CheckExact(PyTuple_GET_ITEM(given.get(), i));
    if (plain) return given.release();
    Ref result(PyTuple_New(count));
    if (!result) throw PythonError{};
    for (Py_ssize_t i = 0; i < count; ++i) {
        const Ref index(PyNumber_Index(PyTuple_GET_ITEM(given.get(), i)));
        PyObject* const number = index ? PyNumber_Long(index.get()) : nullptr;
        if (!number) throw PythonError{};
        PyTuple_SET_ITEM(result.get(), i, number);
    }
    return result.release();
}

/// A thread's form with elements of `type` that belongs to the form with this number.
struct OfType {
    std::uint64_t number = 0;
    ArrayForm* form = nullptr;  ///< owned
};

/// Recently used forms.
struct RecentForms {
    std::array<ArrayForm*, 64> packed{};  ///< so that independent arrays of one shape and dtype share a form
    std::array<OfType, has_gil ? 1 : 64> of_type{};
    OfType& slot(const ArrayForm& form, DType type) noexcept {
        return of_type[(form.number * 16 + static_cast<std::size_t>(type)) % of_type.size()];
    }
};

RecentForms& recent() {
    return of_this_thread<RecentForms>();
}

[[maybe_unused]] std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

/// Takes over the three references, even if it throws.
ArrayForm* new_form(PyObject* shape, PyObject* strides, PyObject* dtype, const Layout* layout, std::int64_t size,
                    std::int64_t nbytes) {
    Ref owned_shape(shape), owned_strides(strides), owned_dtype(dtype);
    Ref size_object(PyLong_FromLongLong(size)), nbytes_object(PyLong_FromLongLong(nbytes));
    if (!size_object || !nbytes_object) throw PythonError{};
    const DType type = dtype_code(dtype);
    auto* const form = new ArrayForm;
    form->shape = owned_shape.release();
    form->strides = owned_strides.release();
    form->dtype = owned_dtype.release();
    form->size = size_object.release();
    form->nbytes = nbytes_object.release();
    form->type = type;
    if constexpr (!has_gil) {
        form->number = next_number();
        form->maker = &recent();
    }
    if (layout) {
        form->layout = *layout;
        form->fits = true;
    }
    return form;
}

ArrayForm* packed_form_of(const Layout& layout, PyObject* shape, PyObject* dtype) {
    Ref strides(to_tuple(layout.strides()));
    Py_INCREF(shape);
    Py_INCREF(dtype);
    return new_form(shape, strides.release(), dtype, &layout, layout.size(), layout.nbytes());
}

/// Drops a form's former sibling.
void leave(ArrayForm* sibling) noexcept {
    sibling->origin = nullptr;
    drop(sibling);
}

/// Forms that arrays no longer have. Other threads may still read them until they next release the GIL or run Python
/// code. A garbage collection stops all threads at such a point: after it, only threads with a FormInUse read them.
struct UsedForms {
    static constexpr std::size_t max = 1024;
    std::mutex mutex;
    std::vector<ArrayForm*> forms;

    /// std::bad_alloc.
    void add(std::span<ArrayForm* const> more) {
        const std::lock_guard lock(mutex);
        forms.insert(forms.end(), more.begin(), more.end());
    }
    /// Returns all of them if there are too many, else none.
    std::vector<ArrayForm*> take_if_many() noexcept {
        const std::lock_guard lock(mutex);
        std::vector<ArrayForm*> taken;
        if (forms.size() >= max && PyGC_IsEnabled()) taken.swap(forms);
        return taken;
    }
};

}  // namespace

std::vector<std::int64_t> to_numbers(PyObject* tuple) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(PyTuple_GET_SIZE(tuple)));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i)));
        if (numbers[i] == -1 && PyErr_Occurred()) throw PythonError{};
    }
    return numbers;
}

PyObject* to_tuple(std::span<const std::int64_t> numbers) {
    Ref tuple(PyTuple_New(static_cast<Py_ssize_t>(numbers.size())));
    for (std::size_t i = 0; tuple && i < numbers.size(); ++i) {
        PyObject* const number = PyLong_FromLongLong(numbers[i]);
        if (!number) throw PythonError{};
        PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), number);
    }
    if (!tuple) throw PythonError{};
    return tuple.release();
}

std::int64_t itemsize_of(PyObject* dtype) {
    const Ref size(PyObject_GetAttrString(dtype, "itemsize"));
    const long long value = size ? PyLong_AsLongLong(size.get()) : -1;
    if (PyErr_Occurred()) throw PythonError{};
    return value;
}

PyObject* to_shape(PyObject* shape) {
    if (PyIndex_Check(shape) && !PySequence_Check(shape)) {
        const Ref index(PyNumber_Index(shape));
        if (!index) throw PythonError{};
        const Ref one(PyTuple_Pack(1, index.get()));
        if (!one) throw PythonError{};
        return plain_integers(one.get());
    }
    // A 0-d array is an integer; all other sequences and arrays hold integers.
    const Ref ndim(PyObject_HasAttrString(shape, "ndim") ? PyObject_GetAttrString(shape, "ndim") : nullptr);
    if (ndim && PyLong_Check(ndim.get()) && PyLong_AsLong(ndim.get()) == 0) {
        const Ref index(PyNumber_Index(shape));
        const Ref one(index ? PyTuple_Pack(1, index.get()) : nullptr);
        if (!one) throw PythonError{};
        return plain_integers(one.get());
    }
    return plain_integers(shape);
}

ArrayForm* make_form(PyObject* shape, PyObject* strides, PyObject* dtype) {
    Ref plain_shape(plain_integers(shape)), plain_strides(plain_integers(strides));
    const auto lengths = to_numbers(plain_shape.get()), steps = to_numbers(plain_strides.get());
    const std::int64_t itemsize = itemsize_of(dtype);
    if (lengths.size() == steps.size()) {
        const Layout layout(lengths, steps, itemsize);
        Py_INCREF(dtype);
        return new_form(plain_shape.release(), plain_strides.release(), dtype, &layout, layout.size(), layout.nbytes());
    }
    const Layout packed(lengths, itemsize);  // for the size; rejects shapes without one
    Py_INCREF(dtype);
    return new_form(plain_shape.release(), plain_strides.release(), dtype, nullptr, packed.size(), packed.nbytes());
}

ArrayForm* packed_form(PyObject* shape, PyObject* dtype, bool fortran) {
    const auto lengths = to_numbers(shape);
    std::size_t hash = reinterpret_cast<std::uintptr_t>(dtype) / 16 * 2 + fortran;
    for (const std::int64_t length : lengths) hash = (hash ^ static_cast<std::size_t>(length)) * 0x9E3779B97F4A7C15u;
    auto& packed = recent().packed;
    ArrayForm*& slot = packed[(hash ^ hash >> 32) % packed.size()];
    if (slot && slot->dtype == dtype && std::ranges::equal(slot->layout.shape(), lengths) &&
        (fortran ? slot->layout.is_f_contiguous() : slot->layout.is_c_contiguous()) &&
        Layout(lengths, slot->layout.itemsize(), fortran) == slot->layout)
        return share(slot);
    ArrayForm* const made = packed_form_of(Layout(lengths, itemsize_of(dtype), fortran), shape, dtype);
    if (ArrayForm* const old = std::exchange(slot, share(made))) drop(old);
    return made;
}

ArrayForm* form_of_layout(const Layout& layout, PyObject* dtype) {
    Ref shape(to_tuple(layout.shape())), strides(to_tuple(layout.strides()));
    Py_INCREF(dtype);
    return new_form(shape.release(), strides.release(), dtype, &layout, layout.size(), layout.nbytes());
}

ArrayForm* known_form_of_thread(ArrayForm& form, DType type) noexcept {
    RecentForms& forms = recent();
    if (form.type == type && form.maker == &forms) return share(&form);
    const OfType& known = forms.slot(form, type);
    return known.number == form.number && known.form->type == type ? share(known.form) : nullptr;
}

ArrayForm* form_of_type(ArrayForm& form, DType type) {
    if (ArrayForm* const known = known_form_of_type(form, type)) return known;
    // A sibling has no sibling: alternating types would create an endless chain.
    if (form.origin) return form_of_type(*form.origin, type);
    PyObject* const dtype = form.type == type ? form.dtype : dtype_object(type);
    ArrayForm* const made =
        packed_form_of(form.layout.packed_like(pycuda::gpuarray::info(type).size), form.shape, dtype);
    if constexpr (has_gil) {
        made->origin = &form;
        if (ArrayForm* const old = std::exchange(form.sibling, made)) leave(old);
    } else {
        OfType& slot = recent().slot(form, type);
        slot.number = form.number;
        if (ArrayForm* const old = std::exchange(slot.form, made)) drop(old);
    }
    return share(made);
}

void drop_used(ArrayForm* form) noexcept {
    if constexpr (has_gil) return drop(form);
    static auto* const used = new UsedForms;
    try {
        used->add({&form, 1});
        const std::vector<ArrayForm*> many = used->take_if_many();
        if (many.empty()) return;
        PyGC_Collect();
        std::vector<ArrayForm*> kept;
        for (ArrayForm* const each : many) HazardPointers::any(each) ? kept.push_back(each) : drop(each);
        used->add(kept);
    } catch (const std::bad_alloc&) {
        // The forms stay.
    }
}

void drop(ArrayForm* form) noexcept {
    if (!form->references.remove()) return;
    if (form->sibling) leave(form->sibling);
    Py_DECREF(form->shape);
    Py_DECREF(form->strides);
    Py_DECREF(form->dtype);
    Py_DECREF(form->size);
    Py_DECREF(form->nbytes);
    delete form;
}

}  // namespace pycuda::python::gpuarray
