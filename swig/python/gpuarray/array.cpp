#include "gpuarray/array.hpp"

#include <structmember.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "exceptions.hpp"
#include "gpuarray/type_parts.hpp"
#include "lifetime.hpp"
#include "memory_types.hpp"
#include "pointers.hpp"
#include "pycuda/gpuarray/current.hpp"
#include "pycuda/threads/waiting.hpp"
#include "slot.hpp"

namespace pycuda::python::gpuarray {

PyTypeObject* array_class;

namespace {

PyObject *default_allocator, *name_new_like_me, *base_new_like_me;

int traverse(PyObject* self, visitproc visit, void* arg) {
    Array* const a = as_array(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(a->gpudata);
    Py_VISIT(a->allocator);
    Py_VISIT(a->base);
    Py_VISIT(a->size_set);
    Py_VISIT(a->nbytes_set);
    Py_VISIT(a->dict);
    return 0;
}

void give_block(Array* a) noexcept {
    MemoryPool* const pool = a->pool;
    a->pool = nullptr;
    if (pool && !is_forked_child()) pool->give(a->block);
}

int clear(PyObject* self) {
    Array* const a = as_array(self);
    if (ArrayForm* const form = a->form)
        a->size = form->size, a->nbytes = form->nbytes;  // and no longer what is dropped here
    Py_CLEAR(a->gpudata);
    Py_CLEAR(a->allocator);
    Py_CLEAR(a->base);
    Py_CLEAR(a->size_set);
    Py_CLEAR(a->nbytes_set);
    Py_CLEAR(a->dict);
    return 0;
}

/// Freed array objects, which are reused. Without a GIL, the allocator itself has such a list for each thread.
std::array<Array*, has_gil ? 64 : 0> dead;
std::size_t dead_count = 0;

void release(PyObject* self) {
    Array* const a = as_array(self);
    PyTypeObject* const type = Py_TYPE(self);
    if (a->weaklist) PyObject_ClearWeakRefs(self);
    clear(self);
    give_block(a);
    if (ArrayForm* const form = a->form) drop(form);
    if (type == array_class && dead_count < dead.size())
        dead[dead_count++] = a;
    else
        type->tp_free(self);
    Py_DECREF(type);
}

void dealloc(PyObject* self) {
    if (!PyObject_GC_IsTracked(self)) return release(self);
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(self, dealloc)  // arrays may be each other's bases, in a row of any length
        release(self);
    Py_TRASHCAN_END
}

/// new_plain(), inlined.
inline Array* make_plain() noexcept {
    Array* a;
    if (dead_count) {
        a = dead[--dead_count];
        PyObject_Init(as_object(a), array_class);
    } else if (!(a = PyObject_GC_New(Array, array_class))) {
        PyErr_Clear();
        return nullptr;
    }
    std::memset(reinterpret_cast<char*>(a) + sizeof(PyObject), 0, sizeof(Array) - sizeof(PyObject));
    // This is cheapest here; later, another thread might do it at the same time.
    if constexpr (!has_gil) PyObject_GC_Track(as_object(a));
    return a;
}

/// A plain array of this form for work on this thread's stream, with a block that the pool holds; null, without an
/// exception, if the pool holds none.
[[gnu::always_inline]] inline Array* try_new(FormRef form, const pycuda::gpuarray::Current& now) noexcept {
    MemoryPool& pool = *now.pool;
    PoolBlock block;
    if (!pool.try_take(static_cast<std::size_t>(form->layout.nbytes()), now.stream, block)) return nullptr;
    Array* const array = make_plain();
    if (!array) {
        pool.give(block);
        return nullptr;
    }
    set_form(array, form.release());
    array->block = block;
    array->pool = &pool;
    return array;
}

/// Memory from the array's allocator; by default from the context's pool, which mem_alloc also means here. None for
/// zero bytes, for which allocators are not called.
void allocate(Array* a) {
    if (a->form->layout.size() == 0) return set_gpudata(a, Py_None);
    if (const Ref allocator = allocator_of(a)) {
        const FormRef form(share(a->form));
        const Ref memory(PyObject_CallOneArg(allocator.get(), form->nbytes));
        if (!memory) throw PythonError{};
        return set_gpudata(a, memory.get());
    }
    const pycuda::gpuarray::Current& now = pycuda::gpuarray::current();
    const std::shared_ptr<MemoryPool> pool = now.pool;
    PoolBlock block = pool->take(static_cast<std::size_t>(a->form->layout.nbytes()), now.stream);
    set_gpudata(a, nullptr);
    const ObjectLock lock(a);
    a->block = block;
    a->pool = pool.get();
}

bool is_given(PyObject* argument) {
    return argument && argument != Py_None;
}

bool is_fortran(PyObject* order) {
    if (!order) return false;
    if (PyUnicode_Check(order)) {
        if (PyUnicode_CompareWithASCIIString(order, "C") == 0) return false;
        if (PyUnicode_CompareWithASCIIString(order, "F") == 0) return true;
    }
    PyErr_Format(PyExc_ValueError, "expected order 'C' or 'F', given %R", order);
    throw PythonError{};
}

enum Argument { Shape, Dtype, Allocator, Base, Gpudata, Strides, Order, ArgumentCount };

void initialise(Array* a, PyObject* const* given) {
    const Ref dtype(to_dtype(given[Dtype]));
    const Ref shape(to_shape(given[Shape]));
    const bool fortran = is_fortran(given[Order]);
    ArrayForm* form;
    if (is_given(given[Strides])) {
        const Ref strides(to_shape(given[Strides]));
        form = make_form(shape.get(), strides.get(), dtype.get());
    } else {
        form = packed_form(shape.get(), dtype.get(), fortran);
    }
    set_gpudata(a,
                nullptr);  // the array may be initialised a second time: its old memory may be too small for the form
    set_form(a, form);
    a->answers = Answers::No;
    if (!form->fits) {
        PyErr_Format(PyExc_ValueError, "expected as many strides as the shape has axes, given %R for shape %R",
                     form->strides, form->shape);
        throw PythonError{};
    }
    PyObject* const allocator =
        is_given(given[Allocator]) && given[Allocator] != default_allocator ? given[Allocator] : nullptr;
    set_reference(a, a->allocator, allocator);
    PyObject* const base = is_given(given[Base]) ? given[Base] : nullptr;
    if (base && !is_given(given[Gpudata]) && form->layout.size() != 0) {
        PyErr_SetString(PyExc_ValueError, "base keeps the memory of gpudata alive: give gpudata too");
        throw PythonError{};
    }
    set_reference(a, a->base, base);
    if (is_given(given[Gpudata])) return set_gpudata(a, given[Gpudata]);
    if (form->layout.lowest() < 0 || form->layout.highest() > form->layout.nbytes()) {
        PyErr_Format(PyExc_ValueError, "strides %R of shape %R reach beyond the array's %S bytes: give gpudata to view",
                     form->strides, form->shape, form->nbytes);
        throw PythonError{};
    }
    allocate(a);
}

int init(PyObject* self, PyObject* args, PyObject* kwargs) {
    static const char* names[] = {"shape", "dtype", "allocator", "base", "gpudata", "strides", "order", nullptr};
    PyObject* given[ArgumentCount] = {};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|OOOOO:GPUArray", const_cast<char**>(names), &given[Shape],
                                     &given[Dtype], &given[Allocator], &given[Base], &given[Gpudata], &given[Strides],
                                     &given[Order]))
        return -1;
    return guarded([&] {
        initialise(as_array(self), given);
        return 0;
    });
}

PyObject* create(PyTypeObject* type, PyObject*, PyObject*) {
    return type->tp_alloc(type, 0);
}

Array* call_new_like_me(Array* like, PyObject* dtype) {
    // Without a dtype if it stays the same, as subclasses expect.
    const Ref made(dtype == like->form->dtype ? PyObject_CallMethodNoArgs(as_object(like), name_new_like_me)
                                              : PyObject_CallMethodOneArg(as_object(like), name_new_like_me, dtype));
    if (!made) throw PythonError{};
    if (!is_array(made.get())) {
        PyErr_Format(PyExc_TypeError, "_new_like_me must return a GPUArray, not %s", Py_TYPE(made.get())->tp_name);
        throw PythonError{};
    }
    Py_INCREF(made.get());
    return as_array(made.get());
}

PyMemberDef fields[] = {{"shape", T_OBJECT_EX, offsetof(Array, shape), READONLY, "The lengths of the axes."},
                        {"strides", T_OBJECT_EX, offsetof(Array, strides), READONLY,
                         "The bytes from an element to the next, along each axis."},
                        {"dtype", T_OBJECT_EX, offsetof(Array, dtype), READONLY, "The type of the elements."},
                        {"size", T_OBJECT_EX, offsetof(Array, size), READONLY, "The number of elements."},
                        {"mem_size", T_OBJECT_EX, offsetof(Array, size), READONLY, "The same number."},
                        {"nbytes", T_OBJECT_EX, offsetof(Array, nbytes), READONLY, "The bytes of the elements."},
                        {"__dictoffset__", T_PYSSIZET, offsetof(Array, dict), READONLY, nullptr},
                        {"__weaklistoffset__", T_PYSSIZET, offsetof(Array, weaklist), READONLY, nullptr},
                        {}};

std::vector<PyType_Slot> all_slots(const char* doc) {
    std::vector<PyType_Slot> slots{
        {Py_tp_new, slot(create)},          {Py_tp_init, slot(init)},          {Py_tp_dealloc, slot(dealloc)},
        {Py_tp_traverse, slot(traverse)},   {Py_tp_clear, slot(clear)},        {Py_tp_members, fields},
        {Py_tp_getset, array_attributes},   {Py_tp_methods, protocol_methods}, {Py_tp_setattro, slot(set_attribute)},
        {Py_tp_doc, const_cast<char*>(doc)}};
    slots.insert(slots.end(), operator_slots().begin(), operator_slots().end());
    slots.insert(slots.end(), subscript_slots().begin(), subscript_slots().end());
    slots.push_back({});
    return slots;
}

}  // namespace

Array* new_plain() noexcept {
    return make_plain();
}

PyObject* default_allocator_object() {
    Py_INCREF(default_allocator);
    return default_allocator;
}

ArrayForm& form_of(Array* array) {
    ArrayForm* const form = array->form;
    if (!form) {
        PyErr_Format(PyExc_TypeError, "%s.__init__ must call GPUArray.__init__", Py_TYPE(array)->tp_name);
        throw PythonError{};
    }
    if (!form->fits) {
        PyErr_Format(PyExc_ValueError, "the array's shape %R and strides %R do not fit together", form->shape,
                     form->strides);
        throw PythonError{};
    }
    return *form;
}

void track(Array* array) noexcept {
    if (has_gil && !PyObject_GC_IsTracked(as_object(array))) PyObject_GC_Track(as_object(array));
}

namespace {

void show_form(Array* array, ArrayForm* form) noexcept {
    array->form = form;
    array->shape = form->shape;
    array->strides = form->strides;
    array->dtype = form->dtype;
    array->size = array->size_set ? array->size_set : form->size;
    array->nbytes = array->nbytes_set ? array->nbytes_set : form->nbytes;
}

}  // namespace

void set_form(Array* array, ArrayForm* form) noexcept {
    if (!array->form) return show_form(array, form);  // a new array
    const ObjectLock lock(array);
    ArrayForm* const old = array->form;
    show_form(array, form);
    drop_used(old);
}

bool is_plain_class(PyTypeObject* type) {
    return type == array_class || (type->tp_init == init && type->tp_new == create &&
                                   _PyType_Lookup(type, name_new_like_me) == base_new_like_me);
}

Array* new_of_form(PyTypeObject* cls, FormRef form, Ref allocator) {
    if (cls == array_class && !allocator && form->layout.size() != 0)
        if (Array* const quick = try_new(FormRef(share(form.get())), pycuda::gpuarray::current())) return quick;
    const Ref made(cls->tp_alloc(cls, 0));
    if (!made) throw PythonError{};
    Array* const array = as_array(made.get());
    set_form(array, form.release());
    array->allocator = allocator.release();
    allocate(array);
    Py_INCREF(made.get());
    return array;
}

Array* new_result(Array* first, Array* like, const pycuda::gpuarray::Layout& packed, DType type, PyObject* dtype) {
    PyTypeObject* const cls = like ? Py_TYPE(like) : array_class;
    if (like && !is_plain_class(cls)) return call_new_like_me(like, dtype);
    const bool is_dense = like && form_of(like).layout.is_dense();
    ArrayForm* form;
    if (is_dense && type != DType::Opaque)
        form = form_of_type(*like->form, type);
    else if (is_dense && like->form->dtype == dtype)
        form = share(like->form);
    else
        form = form_of_layout(packed, dtype);
    return new_of_form(cls, FormRef(form), allocator_of(like ? like : first));
}

Array* try_new_like(Array* like, DType type, const pycuda::gpuarray::Current& now) noexcept {
    if (Py_TYPE(like) != array_class || like->allocator) return nullptr;
    const ArrayForm& form = *like->form;
    if (!form.layout.is_dense() || form.layout.size() == 0) return nullptr;
    FormRef found(known_form_of_type(*like->form, type));
    return found ? try_new(std::move(found), now) : nullptr;
}

Array* new_scalar(DType type) {
    struct Scalars {
        ArrayForm* forms[pycuda::gpuarray::dtype_count]{};
    };
    ArrayForm*& form = of_this_thread<Scalars>().forms[static_cast<int>(type)];
    if (!form)
        form = form_of_layout(pycuda::gpuarray::Layout({}, pycuda::gpuarray::info(type).size), dtype_object(type));
    return new_of_form(array_class, FormRef(share(form)), nullptr);
}

PyObject* array_type(PyObject*, PyObject* methods) {
    if (!PyType_Check(methods)) {
        PyErr_SetString(PyExc_TypeError, "array_type: expected a class");
        return nullptr;
    }
    const Ref bases(PyTuple_Pack(1, methods));
    const Ref driver(PyImport_ImportModule("pycuda.driver"));
    if (!bases || !driver) return nullptr;
    Py_XSETREF(default_allocator, PyObject_GetAttrString(driver.get(), "mem_alloc"));
    const Ref doc(PyObject_GetAttrString(methods, "__doc__"));
    const char* const text = doc && doc.get() != Py_None ? PyUnicode_AsUTF8(doc.get()) : nullptr;
    std::vector<PyType_Slot> slots = all_slots(text ? text : "");
    PyType_Spec spec{"pycuda.gpuarray.GPUArray", sizeof(Array), 0,
                     Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots.data()};
    if (load_subscripts(methods) < 0 || load_protocols(methods) < 0) return nullptr;
    PyObject* const type = PyType_FromSpecWithBases(&spec, bases.get());
    if (!type || !default_allocator) return nullptr;
    array_class = reinterpret_cast<PyTypeObject*>(type);
    Py_INCREF(type);  // one for array_class
    make_immortal(array_class);
    base_new_like_me = _PyType_Lookup(array_class, name_new_like_me);
    Py_XINCREF(base_new_like_me);
    return type;
}

int add_arrays(PyObject* module) {
    if (!(name_new_like_me = PyUnicode_InternFromString("_new_like_me"))) return -1;
    if (load_element_types() < 0 || load_attribute_names() < 0) return -1;
    return PyModule_AddFunctions(module, array_functions);
}

}  // namespace pycuda::python::gpuarray
