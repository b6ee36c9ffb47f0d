#include <cstdint>
#include <utility>

#include "exceptions.hpp"
#include "gpuarray/array.hpp"
#include "lifetime.hpp"
#include "pycuda/gpuarray/own/geometry.hpp"

namespace pycuda::python::gpuarray {
namespace {

PyObject* new_reference(PyObject* object) {
    Py_INCREF(object);
    return object;
}

int refuse_deletion(const char* name) {
    PyErr_Format(PyExc_AttributeError, "'%s' cannot be deleted", name);
    return -1;
}

PyObject* get_gpudata(PyObject* self, void*) {
    try {
        if (Ref value = gpudata_of(as_array(self))) {
            if (PyLong_CheckExact(value.get())) escaped_address(as_array(self));
            return value.release();
        }
        PyErr_SetString(PyExc_AttributeError, "gpudata");
    } catch (...) {
        translate_exception();
    }
    return nullptr;
}

int assign_gpudata(PyObject* self, PyObject* value, void*) {
    set_gpudata(as_array(self), value);
    as_array(self)->answers = Answers::No;
    return 0;
}

PyObject* get_ptr(PyObject* self, void*) {
    Array* const a = as_array(self);
    if (memory_object_of(a).get() == Py_None) {
        PyErr_SetString(PyExc_AttributeError, "ptr: an array without elements has no memory");
        return nullptr;
    }
    return guarded([&]() -> PyObject* { return PyLong_FromUnsignedLongLong(escaped_address(a)); });
}

PyObject* get_is_dense(PyObject* self, void*) {
    return guarded([&]() -> PyObject* { return PyBool_FromLong(form_of(as_array(self)).layout.is_dense()); });
}

PyObject* get_is_c_contiguous(PyObject* self, void*) {
    return guarded([&]() -> PyObject* { return PyBool_FromLong(form_of(as_array(self)).layout.is_c_contiguous()); });
}

PyObject* get_answers(PyObject* self, void*) {
    const Answers answers = as_array(self)->answers;
    return PyLong_FromLong(static_cast<long>(answers));
}

int set_answers(PyObject* self, PyObject* value, void*) {
    const long answers = value ? PyLong_AsLong(value) : -1;
    if (answers >= 0 && answers <= static_cast<long>(Answers::Garbled)) {
        as_array(self)->answers = static_cast<Answers>(answers);
        return 0;
    }
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "_answers: expected 0, 1 or 2");
    return -1;
}

PyObject* get_allocator(PyObject* self, void*) {
    Ref value = allocator_of(as_array(self));
    return value ? value.release() : default_allocator_object();
}

int set_allocator(PyObject* self, PyObject* value, void*) {
    track(as_array(self));
    set_reference(as_array(self), as_array(self)->allocator, value == Py_None ? nullptr : value);
    return 0;
}

PyObject* get_base(PyObject* self, void*) {
    Ref value = base_of(as_array(self));
    return value ? value.release() : new_reference(Py_None);
}

int set_base(PyObject* self, PyObject* value, void*) {
    track(as_array(self));
    set_reference(as_array(self), as_array(self)->base, value == Py_None ? nullptr : value);
    return 0;
}

PyObject* get_ndim(PyObject* self, void*) {
    ArrayForm* const form = as_array(self)->form;
    return PyLong_FromSsize_t(form ? PyTuple_GET_SIZE(form->shape) : 0);
}

PyObject* get_itemsize(PyObject* self, void*) {
    ArrayForm* const form = as_array(self)->form;
    if (form) return PyObject_GetAttrString(Ref(new_reference(form->dtype)).get(), "itemsize");
    PyErr_SetString(PyExc_AttributeError, "itemsize");
    return nullptr;
}

/// The attributes that programs and subclasses have set, for pickles and vars().
PyObject* get_dict(PyObject* self, void*) {
    PyObject* const dict = PyObject_GenericGetDict(self, nullptr);
    if (dict) track(as_array(self));
    return dict;
}

int set_dict(PyObject* self, PyObject* value, void*) {
    track(as_array(self));
    return PyObject_GenericSetDict(self, value, nullptr);
}

Ref dict_of(Array* array) {
    const ObjectLock lock(array);
    return borrow(array->dict);
}

enum Part : std::intptr_t { Grid, Block };

PyObject* get_geometry(PyObject* self, void* part) {
    Array* const a = as_array(self);
    const char* const name = reinterpret_cast<std::intptr_t>(part) == Grid ? "_grid" : "_block";
    if (const Ref dict = dict_of(a))
        if (PyObject* const set = dict_item(dict.get(), name)) return set;
    return guarded([&]() -> PyObject* {
        const pycuda::gpuarray::Geometry geometry = pycuda::gpuarray::splay(form_of(a).layout.size());
        return reinterpret_cast<std::intptr_t>(part) == Grid ? Py_BuildValue("(Ii)", geometry.blocks, 1)
                                                             : Py_BuildValue("(Iii)", geometry.threads, 1, 1);
    });
}

int set_geometry(PyObject* self, PyObject* value, void* part) {
    const char* const name = reinterpret_cast<std::intptr_t>(part) == Grid ? "_grid" : "_block";
    if (!value) return refuse_deletion(name);
    const Ref dict(get_dict(self, nullptr));
    return dict ? PyDict_SetItemString(dict.get(), name, value) : -1;
}

// The attributes that are fields, and the effects of assigning to them.
enum Field { ShapeField, StridesField, DtypeField, SizeField, MemSizeField, NbytesField, FieldCount };
constexpr const char* field_texts[FieldCount] = {"shape", "strides", "dtype", "size", "mem_size", "nbytes"};
PyObject* field_names[FieldCount];

int find_field(PyObject* name) {
    for (int i = 0; i < FieldCount; ++i)
        if (name == field_names[i]) return i;
    if (PyUnicode_CHECK_INTERNED(name)) return FieldCount;
    for (int i = 0; i < FieldCount; ++i)
        if (PyUnicode_Compare(name, field_names[i]) == 0) return i;
    return FieldCount;
}

void set_number(Array* array, PyObject*& kept, PyObject*& shown, PyObject* value) {
    Ref old(new_reference(value));
    const ObjectLock lock(array);
    old.reset(std::exchange(kept, old.release()));
    shown = value;
}

void set_form_part(Array* a, Field field, PyObject* value) {
    if (!a->form) form_of(a);            // raises
    const FormRef form(share(a->form));  // reading `value` may run code that changes the array's form
    const Ref shape(field == ShapeField ? to_shape(value) : new_reference(form->shape));
    const Ref strides(field == StridesField ? to_shape(value) : new_reference(form->strides));
    const Ref dtype(field == DtypeField ? to_dtype(value) : new_reference(form->dtype));
    set_form(a, make_form(shape.get(), strides.get(), dtype.get()));
}

}  // namespace

PyGetSetDef array_attributes[] = {
    {"gpudata", get_gpudata, assign_gpudata,
     "The device memory: the allocator's object, the address of a view, or None.", nullptr},
    {"ptr", get_ptr, nullptr, "Device address of the first element.", nullptr},
    {"allocator", get_allocator, set_allocator, "Allocator of arrays that are computed from this one.", nullptr},
    {"base", get_base, set_base, "The object that owns the memory; None if this array does.", nullptr},
    {"__dict__", get_dict, set_dict, nullptr, nullptr},
    {"ndim", get_ndim, nullptr, "Number of axes.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of an element.", nullptr},
    {"_is_dense", get_is_dense, nullptr, "No gaps, no overlaps, no axis that runs backward.", nullptr},
    {"_is_c_contiguous", get_is_c_contiguous, nullptr, "The same as flags.c_contiguous.", nullptr},
    {"_answers", get_answers, set_answers, "1: a mask, though the dtype may be an integer's; 2: what was one.",
     nullptr},
    {"_grid", get_geometry, set_geometry, nullptr, reinterpret_cast<void*>(Grid)},
    {"_block", get_geometry, set_geometry, nullptr, reinterpret_cast<void*>(Block)},
    {}};

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
    const int field = PyUnicode_Check(name) ? find_field(name) : FieldCount;
    if (field == FieldCount) {
        const int result = PyObject_GenericSetAttr(self, name, value);
        if (as_array(self)->dict) track(as_array(self));
        return result;
    }
    if (!value) return refuse_deletion(field_texts[field]);
    Array* const a = as_array(self);
    return guarded([&] {
        track(a);
        if (field == SizeField || field == MemSizeField)
            set_number(a, a->size_set, a->size, value);
        else if (field == NbytesField)
            set_number(a, a->nbytes_set, a->nbytes, value);
        else
            set_form_part(a, static_cast<Field>(field), value);
        if (field == DtypeField) a->answers = Answers::No;
        return 0;
    });
}

int load_attribute_names() {
    for (int i = 0; i < FieldCount; ++i)
        if (!(field_names[i] = PyUnicode_InternFromString(field_texts[i]))) return -1;
    return 0;
}

}  // namespace pycuda::python::gpuarray
